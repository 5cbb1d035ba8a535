/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/provenance/provenance_query.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "runtime/objects/array.h"
#include "runtime/provenance/provenance_paths.h"

/* Limits. Three accesses without useful bounds took 42 ms of host time per shape of a large
   grid: 0.15 ms a box. */
enum { QUERIED = 6 * 6 * 6, BOXES_MAX = 64, POINTS_MAX = 1 << 13, EVERYONE_MAX = 1 << 14 };
enum {
    FRUITLESS_MAX = 4 * BOXES_MAX
};                       /* unrolled loops have a thousand similar
                            accesses */
enum { BOX_WORK = 16 };  /* in queried threads */
enum { FIRST_ONES = 4 }; /* iterations whose repeat condition is checked */

struct box {
    uint32_t first[3], end[3]; /* CTAs */
};

struct provenance_walk {
    const struct provenance_query *q;
    struct provenance_result *found;
    uint64_t *trips; /* by loop: the current iteration, from 1 */
    uint32_t points; /* remaining queries for exhaustive CTAs */
    struct box box[BOXES_MAX];
    struct provenance_paths choices;
    uint32_t *chosen; /* by selection: current alternative */
    bool *is_decided; /* by loop: the thread and the alternatives decide the repeat
                         condition */
    bool left_out;    /* a thread that was not queried may leave the array */
};

bool provenance_leaves_array(const struct proact_relocation *p,
                             const struct access_span *spans, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        int64_t rows = (int64_t)spans[i].times * spans[i].stride;
        int64_t low = (int64_t)(p->addend + (uint64_t)spans[i].low);
        int64_t end = (int64_t)(p->addend + (uint64_t)spans[i].end);

        if (low + (rows < 0 ? rows : 0) < 0 ||
            end + (rows > 0 ? rows : 0) > (int64_t)p->array->bytes)
            return true;
    }
    return false;
}

/* NULL: memory decides the address, or it is unknown. */
static const struct access_form *provenance_form(const struct access_record *r)
{
    if (r->state == ACCESS_CLOSED)
        return r->form;
    return r->state == ACCESS_DATA ? NULL : r->hull.from;
}

/* Whether the thread may reach the access. */
static bool passes(const struct access_analysis *a, const struct access_record *r,
                   const struct access_point *at)
{
    for (uint32_t n = 0; n < r->guard_count; n++)
        if (access_holds(a, r->guards[n].condition, at) == r->guards[n].negated)
            return false;
    return true;
}

/* Whether the thread may reach the current iteration: no earlier repeat condition is false.
   The condition `i != n` may become true again after i passes n, so the first iterations
   and the last one are checked. */
static bool comes_to(const struct provenance_walk *g, int32_t loop,
                     const struct access_point *at)
{
    const struct access_guard *repeats = &g->q->analysis->loops[loop].repeats;
    const uint64_t trips = g->trips[loop];
    bool comes = true;

    for (uint64_t n = 1; g->is_decided[loop] && n < trips && comes; n++) {
        if (n > FIRST_ONES && n < trips - 1)
            n = trips - 1;
        g->trips[loop] = n;
        comes = access_holds(g->q->analysis, repeats->condition, at) != repeats->negated;
    }
    g->trips[loop] = trips;
    return comes;
}

/* The same for all loops around the access. */
static bool comes_round(const struct provenance_walk *g, const struct access_point *at)
{
    const struct access_analysis *a = g->q->analysis;
    int32_t l = g->q->record->loop;

    while (l >= 0 && comes_to(g, l, at))
        l = a->loops[l].parent;
    return l < 0;
}

static struct access_point nobody(const struct provenance_walk *g)
{
    struct access_point at = {.parameters = g->q->at->parameters,
                              .parameter_bytes = g->q->at->parameter_bytes,
                              .constants = g->q->at->constants,
                              .trips = g->trips,
                              .choices = g->chosen};

    memcpy(at.ntid, g->q->at->ntid, sizeof at.ntid);
    memcpy(at.nctaid, g->q->at->nctaid, sizeof at.nctaid);
    return at;
}

/* Whether the access certainly happens: no selection, no loop, and no guard that depends on
   memory. */
static bool is_certain(const struct provenance_walk *g, const struct access_point *at)
{
    const struct access_record *r = g->q->record;
    bool is = !g->choices.count && r->loop < 0;

    for (uint32_t n = 0; n < r->guard_count; n++)
        is &= access_holds(g->q->analysis, r->guards[n].condition, at) >= 0;
    return is;
}

static void query_path(struct provenance_walk *g, const struct access_point *at)
{
    const struct access_record *r = g->q->record;
    const struct proact_relocation *p = g->q->relocation;
    const uint64_t base = p->array->base[0];
    uint64_t value;

    ++*g->q->work;
    if (!access_value(g->q->analysis, provenance_form(r), at, &value) ||
        p->addend + value < p->array->bytes || !comes_round(g, at) ||
        !passes(g->q->analysis, r, at))
        return;
    const struct provenance_range b = {
        base + p->addend + value, base + p->addend + value + 1, base, p->offset, r->line,
        is_certain(g, at)};

    provenance_result_add(g->found, &b);
}

static void query_point(struct provenance_walk *g, const struct access_point *at)
{
    for (uint32_t way = 0; way < g->choices.ways; way++)
        if (provenance_path_select(&g->choices, way, at, g->chosen))
            query_path(g, at);
}

/* Iterations to query: the first, a middle one, and the last of any thread. */
static void choose_trips(struct provenance_walk *g, unsigned which)
{
    for (uint32_t l = 0; l < g->q->analysis->loop_count; l++) {
        const uint64_t most = g->q->trips[l] > 1 ? (uint64_t)g->q->trips[l] : 1;

        g->trips[l] = which == 2 ? most : which == 1 ? 1 + most / 2 : 1;
    }
}

/* Queries on each axis the first, middle and last CTA, and in each its first and last
   thread. */
static void query_grid(struct provenance_walk *g)
{
    struct access_point at = nobody(g);

    for (uint32_t n = 0; n < QUERIED; n++) {
        uint32_t number = n;

        for (unsigned axis = 0; axis < 3; axis++, number /= 6) {
            at.tid[axis] = number % 2 * (at.ntid[axis] - 1);
            at.ctaid[axis] = number % 6 / 2 * (at.nctaid[axis] - 1) / 2;
        }
        query_point(g, &at);
    }
}

/* Next combination of iterations; false after the last one. */
static bool step_trips(struct provenance_walk *g)
{
    for (int32_t l = g->q->record->loop; l >= 0; l = g->q->analysis->loops[l].parent) {
        if ((int64_t)++g->trips[l] <= g->q->trips[l])
            return true;
        g->trips[l] = 1;
    }
    return false;
}

/* Number of combinations of iterations; 0: too many, or not known. */
static uint64_t iterations(const struct provenance_walk *g)
{
    uint64_t all = 1;

    for (int32_t l = g->q->record->loop; l >= 0; l = g->q->analysis->loops[l].parent) {
        if (g->q->trips[l] < 0 || g->q->trips[l] > POINTS_MAX)
            return 0;
        all *= g->q->trips[l] ? (uint64_t)g->q->trips[l] : 1;
        if (all > POINTS_MAX)
            return 0;
    }
    return all;
}

static void query_cta(struct provenance_walk *g, const uint32_t ctaid[3])
{
    struct access_point at = nobody(g);
    const uint64_t threads = (uint64_t)at.ntid[0] * at.ntid[1] * at.ntid[2],
                   rounds = iterations(g);

    if (!rounds || threads * rounds * g->choices.ways > g->points) {
        g->left_out = true;
        return;
    }
    g->points -= (uint32_t)(threads * rounds * g->choices.ways);
    memcpy(at.ctaid, ctaid, sizeof at.ctaid);
    for (uint32_t t = 0; t < threads; t++) {
        at.tid[0] = t % at.ntid[0];
        at.tid[1] = t / at.ntid[0] % at.ntid[1];
        at.tid[2] = t / at.ntid[0] / at.ntid[1];
        choose_trips(g, 0);
        do
            query_point(g, &at);
        while (step_trips(g));
    }
}

/* Queries the corner threads of the corner CTAs, in the first and last iterations. */
static void query_corners(struct provenance_walk *g, const struct box *b)
{
    struct access_point at = nobody(g);

    for (uint32_t n = 0; n < 2 * 64; n++) {
        bool is_again = n >= 64 && g->q->record->loop < 0;

        for (unsigned axis = 0; axis < 3; axis++) {
            const uint32_t thread = n >> axis & 1, cta = n >> (3 + axis) & 1;

            is_again |= (thread && at.ntid[axis] == 1) ||
                        (cta && b->end[axis] == b->first[axis] + 1);
            at.tid[axis] = thread * (at.ntid[axis] - 1);
            at.ctaid[axis] = cta ? b->end[axis] - 1 : b->first[axis];
        }
        if (is_again)
            continue;
        choose_trips(g, n < 64 ? 0 : 2);
        query_point(g, &at);
    }
}

static bool stays(const struct provenance_walk *g, const struct box *b)
{
    struct access_span spans[ACCESS_SPANS_MAX];
    struct access_launch at = *g->q->at;
    uint32_t count = 0;

    *g->q->work += BOX_WORK;
    memcpy(at.ctaid_first, b->first, sizeof at.ctaid_first);
    memcpy(at.ctaid_end, b->end, sizeof at.ctaid_end);
    return access_extent(g->q->analysis, g->q->record, &at, g->q->trips, spans, &count) &&
           !provenance_leaves_array(g->q->relocation, spans, count);
}

/* Halves a box along its longest axis. */
static void halve(const struct box *b, unsigned axis, struct box out[2])
{
    const uint32_t middle = b->first[axis] + (b->end[axis] - b->first[axis]) / 2;

    out[0] = out[1] = *b;
    out[0].end[axis] = out[1].first[axis] = middle;
}

/* Limit of boxes: shared by all paths, and 1 if smaller boxes rarely helped. */
static uint32_t most_boxes(const struct provenance_walk *g)
{
    return *g->q->fruitless < FRUITLESS_MAX ? BOXES_MAX / g->choices.ways : 1;
}

/* Larger boxes come first, so that skipped ones are the smallest. */
static void query_boxes(struct provenance_walk *g)
{
    const uint32_t most = most_boxes(g);
    uint32_t count = 1;

    g->box[0] = (struct box){{0}, {0}};
    memcpy(g->box[0].end, g->q->at->nctaid, sizeof g->box[0].end);
    for (uint32_t n = 0; n < count; n++) {
        const struct box *b = &g->box[n];
        unsigned axis = 0;

        ++*g->q->fruitless;
        if (stays(g, b)) {
            *g->q->fruitless = n ? 0 : *g->q->fruitless - 1;
            continue;
        }
        for (unsigned other = 1; other < 3; other++)
            if (b->end[other] - b->first[other] > b->end[axis] - b->first[axis])
                axis = other;
        query_corners(g, b);
        if (b->end[axis] == b->first[axis] + 1) {
            query_cta(g, b->first);
        } else if (count + 2 <= most) {
            halve(b, axis, &g->box[count]);
            count += 2;
        } else {
            g->left_out = true;
        }
    }
}

static bool is_given(const struct access_analysis *a, const struct access_term *t)
{
    for (uint32_t k = 0; k < t->degree; k++)
        if (a->symbols[t->symbols[k]].holds &
            ~(1U << ACCESS_PARAMETER | 1U << ACCESS_CONSTANT))
            return false;
    return true;
}

static uint64_t value_of(const struct provenance_walk *g, const struct access_term *t)
{
    const struct access_point at = nobody(g);
    struct access_form *one = must_calloc(1, sizeof *one + sizeof *one->terms);
    uint64_t value = 0;

    one->count = 1;
    one->terms[0] = *t;
    access_value(g->q->analysis, one, &at, &value);
    free(one);
    return value;
}

static void suspect_value(struct provenance_walk *g, uint64_t value)
{
    const struct proact_relocation *p = g->q->relocation;
    const uint64_t at = p->array->base[0] + p->addend + value;
    const struct provenance_range b = {
        at, at + 1, p->array->base[0], p->offset, g->q->record->line, false};

    if (p->addend + value >= p->array->bytes)
        provenance_result_add(g->found, &b);
}

/* Whether a factor of the term can be positive: an index, an iteration, a selection, or a
   function of them. */
static bool counts_up(const struct provenance_walk *g, const struct access_symbol *y)
{
    const struct access_launch *at = g->q->at;
    const unsigned axis = (unsigned)(y->special - PTX_TID_X) % 3;

    if (y->kind == ACCESS_ITERATION)
        return g->q->trips[y->loop] < 0 || g->q->trips[y->loop] > 1;
    if (y->kind != ACCESS_SPECIAL)
        return y->kind == ACCESS_CHOICE || y->kind == ACCESS_FUNCTION;
    if (y->special >= PTX_TID_X && y->special <= PTX_TID_Z)
        return at->ntid[axis] > 1;
    return y->special < PTX_CTAID_X || y->special > PTX_CTAID_Z || at->nctaid[axis] > 1;
}

/* Extracts the launch values of a term that an index may multiply, such as the distance
   between two planes. */
static bool is_pitch(const struct provenance_walk *g, const struct access_term *t,
                     struct access_term *given)
{
    const struct access_symbol *symbols = g->q->analysis->symbols;

    *given = (struct access_term){.factor = t->factor};
    for (uint32_t k = 0; k < t->degree; k++) {
        const struct access_term one = {1, 1, {t->symbols[k]}};

        if (is_given(g->q->analysis, &one))
            given->symbols[given->degree++] = t->symbols[k];
        else if (!counts_up(g, &symbols[t->symbols[k]]) ||
                 (symbols[t->symbols[k]].kind == ACCESS_FUNCTION && t->factor < 0))
            return false; /* `i - i / 2 * 2` subtracts no distance */
    }
    return given->degree > 0;
}

static void suspect_pitches(struct provenance_walk *g, const struct access_form *f,
                            int64_t factor, uint64_t sum)
{
    struct access_term given;

    for (uint32_t i = 0; i < f->count; i++)
        if (!is_given(g->q->analysis, &f->terms[i]) && is_pitch(g, &f->terms[i], &given))
            suspect_value(g, sum + value_of(g, &given) * (uint64_t)factor);
}

/* Checks launch values if not all threads were queried. Only values from the launch, alone,
   in sum or as a pitch, can lead to another array; the compiler knows no such distance. */
static void suspect(struct provenance_walk *g, const struct access_form *f, int64_t factor)
{
    const struct access_analysis *a = g->q->analysis;
    uint64_t sum = 0;
    bool is_any = false;

    for (uint32_t i = 0; i < f->count; i++) {
        const struct access_term *t = &f->terms[i];
        const struct access_symbol *y = t->degree ? &a->symbols[t->symbols[0]] : NULL;

        if (is_given(a, t)) {
            const uint64_t value = value_of(g, t) * (uint64_t)factor;

            sum += value;
            is_any |= t->degree > 0;
            if (t->degree)
                suspect_value(g, value);
        } else if (t->degree == 1 && y->kind == ACCESS_CHOICE) {
            for (uint32_t k = 0; k < y->choice_count; k++)
                suspect(g, y->choices[k], factor * t->factor);
        }
    }
    if (is_any)
        suspect_value(g, sum);
    suspect_pitches(g, f, factor, sum);
}

/* Queries all threads of a small grid, which is faster than bounds of many boxes. Returns
   true only if none leaves the array: bounds may still clear a thread that seems to
   leave. */
static bool all_stay(struct provenance_walk *g)
{
    const struct access_launch *at = g->q->at;
    const uint64_t ctas = (uint64_t)at->nctaid[0] * at->nctaid[1] * at->nctaid[2],
                   threads = (uint64_t)at->ntid[0] * at->ntid[1] * at->ntid[2];
    struct provenance_result nothing = {.count = 0};
    struct provenance_walk all = *g;

    if (ctas > POINTS_MAX ||
        ctas * threads * iterations(g) * g->choices.ways > EVERYONE_MAX)
        return false;
    all.found = &nothing;
    all.points = EVERYONE_MAX;
    for (uint32_t n = 0; n < ctas && !all.left_out && !nothing.count; n++)
        query_cta(&all,
                  (const uint32_t[]){n % at->nctaid[0], n / at->nctaid[0] % at->nctaid[1],
                                     n / at->nctaid[0] / at->nctaid[1]});
    const bool stay = !all.left_out && !nothing.count;

    provenance_result_clear(&nothing);
    return stay;
}

static void query_all(struct provenance_walk *g)
{
    const struct access_record *r = g->q->record;

    if (all_stay(g))
        return;
    for (unsigned which = 0; which < (r->loop < 0 ? 1 : 3); which++) {
        choose_trips(g, which);
        query_grid(g);
    }
    query_boxes(g);
}

/* Bounds can be too wide: for unrolled loops, or if several guards are jointly stronger. A
   remainder times a number has no bounds. */
void provenance_query_threads(const struct provenance_query *q,
                              struct provenance_result *found)
{
    const struct access_record *r = q->record;
    const struct access_form *f = provenance_form(r);

    if (!f || !r->guards_decide)
        return;
    struct provenance_walk *g = must_calloc(1, sizeof *g);

    *g = (struct provenance_walk){.q = q, .found = found, .points = POINTS_MAX};
    provenance_paths_init(&g->choices, q->analysis);
    g->trips = must_calloc(q->analysis->loop_count + 1u, sizeof *g->trips);
    g->chosen = must_calloc(q->analysis->choice_count + 1u, sizeof *g->chosen);
    g->is_decided = must_calloc(q->analysis->loop_count + 1u, sizeof *g->is_decided);
    bool may_query = provenance_paths_add(&g->choices, f);

    for (uint32_t n = 0; n < r->guard_count; n++)
        may_query &= provenance_paths_add_condition(&g->choices, r->guards[n].condition);
    for (int32_t l = r->loop; l >= 0; l = q->analysis->loops[l].parent)
        g->is_decided[l] = provenance_paths_add_loop(&g->choices, (uint32_t)l);
    may_query &= !g->choices.count || q->in_full;
    if (may_query)
        query_all(g);
    if (!may_query || g->left_out)
        suspect(g, f, 1);
    free(g->is_decided);
    free(g->chosen);
    free(g->trips);
    free(g);
}
