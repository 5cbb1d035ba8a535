/* SPDX-License-Identifier: Apache-2.0 */
/* How often loops go around in a launch, at most. */
#include "access/facts.h"

enum { DEPTH_MAX = 4, PASSES_MAX = 4 }; /* depth: of choices and minima in each other */

/* d = start + step * K of the loop; false where it is not of that kind. */
static bool split(struct facts *f, const struct access_form *d, uint32_t loop,
                  const struct access_form **start, const struct access_form **step)
{
    const struct access_form *a = form_constant(&f->forms, 0), *b = a;

    for (uint32_t i = 0; i < d->count; i++) {
        struct access_form *one =
            arena_alloc(f->forms.arena, sizeof *one + sizeof d->terms[0]);
        struct access_term *t = &one->terms[0];
        unsigned found = 0;

        one->count = 1;
        *t = d->terms[i];
        t->degree = 0;
        for (uint32_t k = 0; k < d->terms[i].degree; k++) {
            const struct access_symbol *y = &f->forms.symbols[d->terms[i].symbols[k]];

            if (y->kind == ACCESS_ITERATION && y->loop == loop)
                found++;
            else if (y->kind != ACCESS_ITERATION && (y->holds >> ACCESS_ITERATION & 1))
                return false; /* K may be inside */
            else
                t->symbols[t->degree++] = d->terms[i].symbols[k];
        }
        if (found > 1)
            return false;
        if (found)
            b = form_add(&f->forms, b, one, 1);
        else
            a = form_add(&f->forms, a, one, 1);
    }
    *start = a;
    *step = b;
    return a && b && b->count;
}

static bool is_choice(const struct facts *f, uint32_t symbol)
{
    return f->forms.symbols[symbol].kind == ACCESS_CHOICE;
}

/* A choice that a form is a sum of, or -1. */
static int64_t choice_in(const struct facts *f, const struct access_form *d)
{
    for (uint32_t i = 0; i < d->count; i++)
        for (uint32_t k = 0; k < d->terms[i].degree; k++)
            if (is_choice(f, d->terms[i].symbols[k]))
                return d->terms[i].symbols[k];
    return -1;
}

struct chosen {
    const struct access_form *option;
    uint32_t symbol;
};

static const struct access_form *take(void *context, uint32_t symbol)
{
    const struct chosen *c = context;

    return symbol == c->symbol ? c->option : NULL;
}

/* Iterations after which form = start + step * K <= most must have failed, which ends the
   loop. `guards` of the facts hold when it is entered. */
struct below {
    struct facts *facts;
    uint32_t guards, loop;
    int64_t most;
};

static int64_t trips_of_line(const struct below *w, const struct access_form *d)
{
    struct facts *f = w->facts;
    const struct access_form *start, *step;
    uint32_t all = f->count;
    struct range a, b;
    int64_t room;

    if (!split(f, d, w->loop, &start, &step) || !range_of(&f->view, step, &b) || b.low < 1)
        return -1;
    f->count = w->guards;
    bool known = facts_bound(f, start, &a);

    f->count = all;
    if (!known || __builtin_sub_overflow(w->most, a.low, &room) || room == INT64_MAX)
        return -1;
    return room < 0 ? 1 : room / b.low + 2;
}

static int64_t trips_below(const struct below *w, const struct access_form *d,
                           unsigned depth);

/* The most of all ways to choose. */
static int64_t trips_chosen(const struct below *w, const struct access_form *d,
                            uint32_t choice, unsigned depth)
{
    const struct access_symbol y = w->facts->forms.symbols[choice];
    int64_t most = -1;

    for (uint32_t i = 0; i < y.choice_count; i++) {
        struct chosen c = {y.choices[i], choice};
        int64_t t = trips_below(w, form_map(&w->facts->forms, d, take, &c), depth + 1);

        if (t < 0)
            return -1;
        most = t > most ? t : most;
    }
    return most;
}

static int64_t trips_below(const struct below *w, const struct access_form *d,
                           unsigned depth)
{
    int64_t choice = d ? choice_in(w->facts, d) : -1, best;

    if (!d || depth > DEPTH_MAX)
        return -1;
    if (choice >= 0)
        return trips_chosen(w, d, (uint32_t)choice, depth);
    best = trips_of_line(w, d);
    for (uint32_t k = 0; k < 2 * d->count; k++) {
        const struct access_form *other = facts_replaced(w->facts, d, k / 2, k % 2);
        int64_t t = other ? trips_below(w, other, depth + 1) : -1;

        best = best < 0 || (t >= 0 && t < best) ? t : best;
    }
    return best;
}

/* What a form is, but for multiples of a power of two: x & 2^n - 1 is x. */
static const struct access_form *unmasked(struct facts *f, const struct access_form *d,
                                          int64_t unit)
{
    const struct access_form *sum = d;
    int64_t mask;

    for (uint32_t i = 0; sum && i < d->count; i++) {
        const struct access_term *t = &d->terms[i];
        const struct access_symbol *y = t->degree ? &f->forms.symbols[t->symbols[0]] : NULL;

        if (!y || t->degree != 1 || y->kind != ACCESS_FUNCTION ||
            y->function != ACCESS_AND || !form_is_constant(y->right, &mask) ||
            (mask & (unit - 1)) != unit - 1)
            continue;
        sum = form_add(&f->forms, sum, form_of(&f->forms, t->symbols[0]), -t->factor);
        sum = form_add(&f->forms, sum, y->left, t->factor);
    }
    return facts_known(f, sum);
}

static bool is_multiple(struct facts *f, const struct access_form *d, int64_t unit)
{
    bool power = !(unit & (unit - 1));
    int64_t value;

    if (form_is_constant(d, &value))
        return value % unit == 0;
    d = power ? unmasked(f, d, unit) : d;
    for (uint32_t i = 0; d && i < d->count; i++)
        if (d->terms[i].factor % unit)
            return false;
    return d != NULL;
}

/* Repeats while d != 0, which comes nearer to 0 by a constant, and meets it. */
static int64_t trips_until(struct facts *f, const struct access_form *d, uint32_t loop)
{
    const struct access_form *start, *step;
    struct range a;
    int64_t b;

    d = facts_known(f, d);
    if (!d || !split(f, d, loop, &start, &step) || !form_is_constant(step, &b) || !b ||
        b == INT64_MIN || !facts_bound(f, start, &a) || a.low == INT64_MIN)
        return -1;
    if (b > 0)
        a = (struct range){-a.high, -a.low};
    b = b < 0 ? -b : b;
    if (b > 1 && (a.low != a.high || a.low % b) && !is_multiple(f, start, b))
        return -1;
    /* Of multiples, the next one below 0 is -b. */
    return a.low <= -b || a.high < 0 ? -1 : a.high / b + 1;
}

/* The form that is not 0 where the condition holds, cut to its bits; NULL if it is another
   condition. Of unsigned numbers, i + 1 >= i says that i + 1 is not 0. */
static const struct access_form *differs(struct facts *f, const struct access_condition *c,
                                         bool negated)
{
    int64_t one;

    if (c->kind != ACCESS_COMPARE)
        return NULL;
    if (c->comparison == (negated ? ACCESS_EQ : ACCESS_NE))
        return form_add(&f->forms, c->left, c->right, -1);
    if (c->comparison == (negated ? ACCESS_LT : ACCESS_GE) && !c->is_signed &&
        form_is_constant(form_add(&f->forms, c->left, c->right, -1), &one) && one == 1)
        return c->left;
    return NULL;
}

/* By one branch which every iteration passed that another one followed. */
static int64_t trips_by(struct facts *f, const struct access_guard *stay, uint32_t loop,
                        int64_t *trips)
{
    const struct access_condition *c = stay->condition;
    const struct access_form *d = differs(f, c, stay->negated);
    struct below w = {.facts = f, .guards = f->count, .loop = loop};
    int64_t best = -1;

    trips[loop] = -1;
    if (d)
        best = trips[loop] = trips_until(f, d, loop);
    else
        facts_add(f, c, stay->negated);
    for (uint32_t i = w.guards; i < f->count; i++) {
        w.most = f->facts[i].most;
        trips[loop] = trips_below(&w, f->facts[i].form, 0);
        /* The first comparison that fails must not have wrapped, nor those before it. */
        if (trips[loop] >= 0 && facts_are_whole(f, f->facts[i].from) &&
            (best < 0 || trips[loop] < best))
            best = trips[loop];
    }
    f->count = w.guards;
    trips[loop] = best;
    return best >= 0 && facts_fit(f, stay->ranges, stay->range_count) ? best : -1;
}

static int64_t trips_of(struct facts *f, const struct access_loop *l, uint32_t loop,
                        int64_t *trips)
{
    int64_t best = -1;

    facts_add_guards(f, l->guards, l->guard_count);
    if (facts_contradict(f))
        return 0;
    for (uint32_t i = 0; i < l->stay_count; i++) {
        int64_t t = trips_by(f, &l->stays[i], loop, trips);

        best = best < 0 || (t >= 0 && t < best) ? t : best;
    }
    return best;
}

/* Outer loops come last and are done first: inner ones may hang on them. */
static bool find_all(const struct access_analysis *a, const struct access_launch *l,
                     struct arena *arena, int64_t *trips)
{
    bool found = false;

    for (uint32_t i = a->loop_count; i-- > 0;) {
        struct facts f;

        if (trips[i] >= 0)
            continue;
        facts_open(&f, arena, a, l, trips);
        if (!facts_fit(&f, a->ranges, a->range_count))
            return false;
        trips[i] = trips_of(&f, &a->loops[i], i, trips);
        found |= trips[i] >= 0;
    }
    return found;
}

void access_trips(const struct access_analysis *a, const struct access_launch *l,
                  int64_t *trips)
{
    struct arena arena = {0};

    for (uint32_t i = 0; i < a->loop_count; i++)
        trips[i] = -1;
    /* Later ones may hang on those before, which are done after them. */
    for (unsigned pass = 0; pass < PASSES_MAX && find_all(a, l, &arena, trips); pass++)
        ;
    arena_clear(&arena);
}
