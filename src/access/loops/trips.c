/* SPDX-License-Identifier: Apache-2.0 */
/* Upper bounds of trip counts in a launch. */
#include "access/bounds/countdown.h"
#include "access/loops/ended_loop.h"

enum { DEPTH_MAX = 4, PASSES_MAX = 4 }; /* DEPTH_MAX: nesting of choices and minima */

static bool is_choice(const struct facts *f, uint32_t symbol)
{
    return f->forms.symbols[symbol].kind == ACCESS_CHOICE;
}

/* A choice in the form, or -1. */
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

/* Trip count bound by a necessary condition form = start + step * K <= most: the loop ends
   when it fails. `guards` facts hold at the entry of the loop. */
struct below {
    const struct access_analysis *analysis;
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

    if (!countdown_split(f, d, w->loop, &start, &step) || !range_of(&f->view, step, &b) ||
        b.low < 1)
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

/* Adds the path condition of a choice. False if no thread that enters the loop made this
   choice. */
static bool add_way(struct facts *f, const struct access_symbol *y, uint32_t which)
{
    if (y->ways)
        facts_add_guards(f, y->ways[which].guards, y->ways[which].count);
    return !facts_contradict(f);
}

/* Maximum over all choices. */
static int64_t trips_chosen(const struct below *w, const struct access_form *d,
                            uint32_t choice, unsigned depth)
{
    const struct access_symbol y = w->facts->forms.symbols[choice];
    int64_t most = -1;

    for (uint32_t i = 0; i < y.choice_count; i++) {
        struct chosen c = {y.choices[i], choice};
        struct facts there = *w->facts;
        struct below now = *w;

        there.count = w->guards;
        now.facts = &there;
        if (!add_way(&there, &y, i))
            continue;
        now.guards = there.count;
        const int64_t t = trips_below(&now, form_map(&there.forms, d, take, &c), depth + 1);

        if (t < 0)
            return -1;
        most = t > most ? t : most;
    }
    return most;
}

/* Finds a T of a loop that ends before this one starts and is the same number, or 0 if
   skipped, for all threads. Returns the number of possible values. */
static unsigned ended_in(const struct below *w, const struct access_form *d,
                         uint32_t *symbol, int64_t trips[2])
{
    struct extent e = {.analysis = w->analysis, .loop = (int32_t)w->loop};
    bool may_pass;

    for (uint32_t i = 0; i < d->count; i++)
        for (uint32_t k = 0; k < d->terms[i].degree; k++) {
            const struct access_symbol *y =
                &w->facts->forms.symbols[ *symbol = d->terms[i].symbols[k]];

            if (y->kind != ACCESS_TRIPS ||
                extent_inside(w->analysis, (int32_t)y->loop, w->loop))
                continue;
            e.facts = *w->facts;
            e.facts.count = w->guards;
            trips[1] = 0;
            if (ended_loop_trips(&e, y->loop, &trips[0], &may_pass))
                return may_pass ? 2 : 1;
        }
    return 0;
}

static int64_t trips_behind(const struct below *w, const struct access_form *d,
                            uint32_t symbol, const int64_t *trips, unsigned count,
                            unsigned depth)
{
    int64_t most = -1;

    for (unsigned i = 0; i < count; i++) {
        struct chosen c = {form_constant(&w->facts->forms, trips[i]), symbol};
        const int64_t t =
            trips_below(w, form_map(&w->facts->forms, d, take, &c), depth + 1);

        if (t < 0)
            return -1;
        most = t > most ? t : most;
    }
    return most;
}

static int64_t trips_below(const struct below *w, const struct access_form *d,
                           unsigned depth)
{
    int64_t choice = d ? choice_in(w->facts, d) : -1, best, ended[2];
    uint32_t symbol = 0;

    if (!d || depth > DEPTH_MAX)
        return -1;
    if (choice >= 0)
        return trips_chosen(w, d, (uint32_t)choice, depth);
    const unsigned count = ended_in(w, d, &symbol, ended);

    if (count)
        return trips_behind(w, d, symbol, ended, count, depth);
    best = trips_of_line(w, d);
    for (uint32_t k = 0; k < 2 * d->count; k++) {
        const struct access_form *other = facts_replaced(w->facts, d, k / 2, k % 2);
        int64_t t = other ? trips_below(w, other, depth + 1) : -1;

        best = best < 0 || (t >= 0 && t < best) ? t : best;
    }
    return best;
}

/* Bound by one branch that every iteration with a successor passes. */
static int64_t trips_by(const struct access_analysis *a, struct facts *f,
                        const struct access_guard *stay, uint32_t loop, int64_t *trips)
{
    const struct access_condition *c = stay->condition;
    struct below w = {.analysis = a, .facts = f, .guards = f->count, .loop = loop};
    struct countdown down;
    int64_t best = -1;

    trips[loop] = -1;
    if (!countdown_is(f, c, stay->negated))
        facts_add(f, c, stay->negated);
    else if (countdown_of(f, stay, loop, &down))
        best = trips[loop] = down.trips;
    for (uint32_t i = w.guards; i < f->count; i++) {
        w.most = f->facts[i].most;
        trips[loop] = trips_below(&w, f->facts[i].form, 0);
        /* the first failing comparison, and those before, must not wrap */
        if (trips[loop] >= 0 && facts_are_whole(f, f->facts[i].from) &&
            (best < 0 || trips[loop] < best))
            best = trips[loop];
    }
    f->count = w.guards;
    trips[loop] = best;
    return best >= 0 && facts_fit(f, stay->ranges, stay->range_count) ? best : -1;
}

static int64_t trips_of(const struct access_analysis *a, struct facts *f, uint32_t loop,
                        int64_t *trips)
{
    const struct access_loop *l = &a->loops[loop];
    int64_t best = -1;

    facts_add_guards(f, l->guards, l->guard_count);
    if (facts_contradict(f))
        return 0;
    for (uint32_t i = 0; i < l->stay_count; i++) {
        int64_t t = trips_by(a, f, &l->stays[i], loop, trips);

        best = best < 0 || (t >= 0 && t < best) ? t : best;
    }
    return best;
}

/* Reverse order: outer loops come last in the table, and inner ones may depend on them. */
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
        trips[i] = trips_of(a, &f, i, trips);
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
    /* A loop may depend on one that is visited after it. */
    for (unsigned pass = 0; pass < PASSES_MAX && find_all(a, l, &arena, trips); pass++)
        ;
    arena_clear(&arena);
}
