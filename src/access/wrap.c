/* SPDX-License-Identifier: Apache-2.0 */
/* What can be said of forms once a launch is known: how often loops go around, between
   which values forms lie, and whether narrow parts stay in their range. */
#include "access/facts.h"
#include "base/fail.h"

#include <inttypes.h>

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

/* Iterations after which start + step * K <= most must have failed, which ends the loop. */
static int64_t trips_below(struct facts *f, const struct fact *fact, uint32_t loop)
{
    const struct access_form *start, *step;
    struct range a, b;
    int64_t room;

    if (!split(f, fact->form, loop, &start, &step) || !range_of(&f->view, start, &a) ||
        !range_of(&f->view, step, &b) || b.low < 1 ||
        __builtin_sub_overflow(fact->most, a.low, &room))
        return -1;
    return room < 0 ? 1 : room / b.low + 2;
}

/* Repeats while left != right: they come nearer by a constant that meets 0. */
static int64_t trips_until(struct facts *f, const struct access_condition *c, uint32_t loop)
{
    const struct access_form *d = form_add(&f->forms, c->left, c->right, -1), *start, *step;
    struct range a;
    int64_t b;

    if (!d || !split(f, d, loop, &start, &step) || !form_is_constant(step, &b) || !b ||
        b == INT64_MIN || !facts_bound(f, start, &a) || a.low == INT64_MIN)
        return -1;
    if (b > 0)
        a = (struct range){-a.high, -a.low};
    b = b < 0 ? -b : b;
    /* Of larger steps only a known start is sure to be a multiple. */
    if (a.low < 0 || (b > 1 && (a.low != a.high || a.low % b)))
        return -1;
    return a.high / b + 1;
}

static int64_t until_fitting(struct facts *f, const struct access_loop *l, uint32_t loop,
                             int64_t *trips)
{
    trips[loop] = trips_until(f, l->repeats.condition, loop);
    return facts_fit(f, l->repeats.ranges, l->repeats.range_count) ? trips[loop] : -1;
}

static int64_t trips_of(struct facts *f, const struct access_loop *l, uint32_t loop,
                        int64_t *trips)
{
    const struct access_condition *c = l->repeats.condition;
    int64_t best = -1;

    trips[loop] = -1;
    facts_add_guards(f, l->guards, l->guard_count);
    if (facts_contradict(f))
        return 0;
    if (!c || c->kind != ACCESS_COMPARE)
        return -1;
    if (c->comparison == (l->repeats.negated ? ACCESS_EQ : ACCESS_NE))
        return until_fitting(f, l, loop, trips);
    f->count = 0;
    facts_add(f, c, l->repeats.negated);
    for (uint32_t i = 0; i < f->count; i++) {
        int64_t t = trips_below(f, &f->facts[i], loop);

        trips[loop] = t;
        /* The first comparison that fails must not have wrapped, nor those before it. */
        if (t >= 0 && facts_are_whole(f, c) &&
            facts_fit(f, l->repeats.ranges, l->repeats.range_count) &&
            (best < 0 || t < best))
            best = t;
    }
    return best;
}

void access_trips(const struct access_analysis *a, const struct access_launch *l,
                  int64_t *trips)
{
    struct arena arena = {0};
    struct facts f;

    for (uint32_t i = 0; i < a->loop_count; i++)
        trips[i] = -1;
    /* Outer loops come last and are done first: inner ones may hang on them. */
    for (uint32_t i = a->loop_count; i-- > 0;) {
        facts_open(&f, &arena, a, l, trips);
        if (!facts_fit(&f, a->ranges, a->range_count))
            break;
        trips[i] = trips_of(&f, &a->loops[i], i, trips);
    }
    arena_clear(&arena);
}

bool access_bounds(const struct access_analysis *a, const struct access_form *form,
                   const struct access_guard *guards, uint32_t guard_count,
                   const struct access_launch *l, const int64_t *trips, int64_t *low,
                   int64_t *high)
{
    struct arena arena = {0};
    struct facts f;
    struct range r;

    facts_open(&f, &arena, a, l, trips);
    if (facts_fit(&f, a->ranges, a->range_count))
        facts_add_guards(&f, guards, guard_count);
    bool known = facts_bound(&f, form, &r);

    if (known) {
        *low = r.low;
        *high = r.high;
    }
    arena_clear(&arena);
    return known;
}

/* Of the range's type. */
static void extremes(const struct access_range *w, int64_t *least, int64_t *most)
{
    *most = w->bits >= 64 ? INT64_MAX : ((int64_t)1 << (w->bits - w->is_signed)) - 1;
    *least = w->is_signed ? -*most - 1 : 0;
}

const struct access_range *access_wraps(const struct access_analysis *a,
                                        const struct access_record *r,
                                        const struct access_launch *l, const int64_t *trips,
                                        int64_t bounds[2], bool *known)
{
    struct range_view view = {.symbols = a->symbols, .launch = l, .trips = trips};
    int64_t least, most;

    for (uint32_t i = 0; i < r->range_count + a->range_count; i++) {
        const struct access_range *w =
            i < r->range_count ? &r->ranges[i] : &a->ranges[i - r->range_count];

        if (range_fits(&view, w->form, w->bits, w->is_signed))
            continue;
        extremes(w, &least, &most);
        *known = access_bounds(a, w->form, r->guards, r->guard_count, l, trips, &bounds[0],
                               &bounds[1]);
        if (!*known || bounds[0] < least || bounds[1] > most)
            return w;
    }
    return NULL;
}

enum proact_status access_check_wrap(const struct access_analysis *a,
                                     const struct access_record *r,
                                     const struct access_launch *l, const int64_t *trips,
                                     struct proact_error *err)
{
    int64_t bounds[2], least, most;
    bool known;
    const struct access_range *w = access_wraps(a, r, l, trips, bounds, &known);
    char text[120];

    if (!w)
        return PROACT_OK;
    access_form_text(a, w->form, text, sizeof text);
    if (!known)
        return fail(err, PROACT_EREFUSED, "%s:%" PRIu32 ": no bound is known of %s",
                    a->module->name, r->line, text);
    extremes(w, &least, &most);
    return fail(err, PROACT_EREFUSED,
                "%s:%" PRIu32 ": %s may be between %" PRId64 " and %" PRId64
                ", beyond its %u bits (%" PRId64 " to %" PRId64 ")",
                a->module->name, r->line, text, bounds[0], bounds[1], w->bits, least, most);
}

bool access_extent(const struct access_analysis *a, const struct access_record *r,
                   const struct access_launch *l, const int64_t *trips, int64_t *low,
                   int64_t *end)
{
    int64_t bounds[2];
    bool known;

    return r->state == ACCESS_CLOSED && r->bytes &&
           !access_wraps(a, r, l, trips, bounds, &known) &&
           access_bounds(a, r->form, r->guards, r->guard_count, l, trips, low, end) &&
           !__builtin_add_overflow(*end, (int64_t)r->bytes, end);
}
