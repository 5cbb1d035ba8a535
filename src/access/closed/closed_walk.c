/* SPDX-License-Identifier: Apache-2.0 */
#include "access/closed/closed_walk.h"

/* Advances loops 0 .. count - 1, outermost first. */
static bool next(const struct closed_group *g, uint32_t count, int64_t *outer)
{
    while (count-- > 0) {
        if (++outer[3 + count] < g->trips[count])
            return true;
        outer[3 + count] = 0;
    }
    return false;
}

/* Appends all repetitions of a place, each at distance `step`. */
static void gather(struct rows_list *l, const struct closed_place *at)
{
    for (uint32_t n = 0; n < at->is->row_count; n++) {
        struct rows row = at->is->rows[n], all;

        row.first += (uint64_t)at->from;
        if (rows_join(&row, at->count, (uint64_t)at->step, &all)) {
            rows_gather(l, &all);
            continue;
        }
        for (uint32_t k = 0; k < at->count; k++, row.first += (uint64_t)at->step)
            rows_gather(l, &row);
    }
}

/* Whether the rows are sorted, disjoint and not adjacent. */
static bool are_apart(const struct rows_list *l)
{
    for (size_t n = 1; n < l->count; n++)
        if (rows_end(&l->rows[n - 1]) >= l->rows[n].first)
            return false;
    return true;
}

/* Writes of one group in adjacent CTAs: whether any exist, and the number of CTAs that
   repeat them at distance `step`. */
struct beside {
    bool is_any;
    uint32_t ctas;
    int64_t step;
};

/* Consecutive iterations of the innermost loop often have equal ranges. */
static bool gather_loops(struct closed_walk *c, struct closed_group *g, int64_t *outer,
                         struct beside *is)
{
    const uint32_t last = 3 + g->loops.count - 1;
    struct closed_place at;

    do {
        for (; outer[last] < g->trips[last - 3]; outer[last] += at.count) {
            const int64_t left = g->trips[last - 3] - outer[last];

            if (!closed_place_find(c, g, outer, last,
                                   left < UINT32_MAX ? (uint32_t)left : UINT32_MAX, &at))
                return false;
            if (is->ctas > 1)
                is->ctas =
                    closed_place_alike(g, outer, last, at.count, 0, is->ctas, &is->step);
            if (at.is)
                gather(&c->rows, &at);
            is->is_any |= at.is != NULL;
        }
        outer[last] = 0;
    } while (next(g, last - 3, outer));
    return true;
}

static bool gather_group(struct closed_walk *c, struct closed_group *g, int64_t *outer,
                         struct beside *is)
{
    struct closed_place at;

    if (g->loops.count)
        return gather_loops(c, g, outer, is);
    if (!closed_place_find(c, g, outer, 0, is->ctas, &at))
        return false;
    *is = (struct beside){at.is != NULL, at.count, at.step};
    at.count = 1;
    if (at.is)
        gather(&c->rows, &at);
    return true;
}

/* Collects the writes to the array in CTA outer[0] in c->rows. On input, `run` holds the
   maximal number of CTAs. */
static bool gather_array(struct closed_walk *c, uint32_t array, int64_t *outer,
                         struct cta_run *run)
{
    bool moves = false;

    c->rows.count = 0;
    for (uint32_t n = 0; n < c->group_count; n++) {
        struct beside is = {false, run->count, 0};

        if (c->groups[n].array != array)
            continue;
        if (!gather_group(c, &c->groups[n], outer, &is))
            return false;
        run->count = is.ctas;
        if (is.is_any && moves && run->step != (uint64_t)is.step)
            run->count = 1;
        else if (is.is_any)
            run->step = (uint64_t)is.step;
        moves |= is.is_any;
    }
    rows_gathered(&c->rows);
    return true;
}

/* Whether the rows, shifted by `way`, lie in the array. */
static bool rows_within(const struct rows_list *l, uint64_t way, uint64_t bytes)
{
    bool all = true;

    for (size_t n = 0; n < l->count; n++)
        all &= l->rows[n].first + way < bytes && rows_end(&l->rows[n]) + way <= bytes;
    return all;
}

/* Splits interleaved rows into single ranges. */
static void part(struct write_set_spans *spans, const struct rows_list *of,
                 struct rows_list *into)
{
    struct rows_walk w = {of->rows, of->rows + of->count, 0};

    for (struct span s; rows_next(&w, &s);)
        write_set_spans_add(spans, s.first, s.end);
    write_set_spans_merge(spans);
    for (size_t n = 0; n < spans->count; n++)
        rows_append(into, rows_one(spans->spans[n].first,
                                   spans->spans[n].end - spans->spans[n].first));
    spans->count = 0;
}

static bool add_run(struct closed_walk *c, uint32_t array, struct cta_run *run)
{
    struct record_array *a = &c->into->arrays[array];
    struct rows_list *l = &c->apart;

    l->count = 0;
    if (are_apart(&c->rows))
        for (size_t n = 0; n < c->rows.count; n++)
            rows_append(l, c->rows.rows[n]);
    else
        part(&a->spans, &c->rows, l);
    run->rows = (uint32_t)l->count;
    return !l->count || (l->count <= UINT32_MAX &&
                         rows_within(l, (run->count - 1u) * run->step, a->bytes) &&
                         record_add_run(a, *run, l->rows, 0));
}

/* The only group that writes the array; NULL: several. */
static struct closed_group *only_group(const struct closed_walk *c, uint32_t array)
{
    struct closed_group *only = NULL;

    for (uint32_t n = 0; n < c->group_count; n++) {
        if (c->groups[n].array != array)
            continue;
        if (only)
            return NULL;
        only = &c->groups[n];
    }
    return only;
}

/* Adds CTAs of one line. Most have equal ranges. */
static bool add_beside(struct closed_walk *c, uint32_t array, const uint32_t id[3],
                       uint32_t number)
{
    const uint32_t first = c->first[0], width = c->end[0] - first;
    struct closed_group *g = only_group(c, array);
    struct cta_run run;

    if (g && !g->loops.count)
        return closed_lines_add(c, g, id, number);
    for (uint32_t x = 0; x < width; x += run.count) {
        int64_t outer[CLOSED_OUTER] = {first + x, id[1], id[2]};

        run = (struct cta_run){number + x, width - x, 0, 0, 0};
        if (!gather_array(c, array, outer, &run) || !add_run(c, array, &run))
            return false;
    }
    return true;
}

static bool is_written(const struct closed_walk *c, uint32_t array)
{
    for (uint32_t n = 0; n < c->group_count; n++)
        if (c->groups[n].array == array)
            return true;
    return false;
}

const char *closed_walk_all(struct closed_walk *c)
{
    const uint32_t *first = c->first, *end = c->end;
    uint32_t id[3], number = 0;
    const char *why = NULL;

    for (unsigned axis = 0; axis < 3; axis++) {
        const uint32_t all = c->launch->ctaid_end[axis];

        c->first[axis] = c->launch->ctaid_first[axis];
        c->end[axis] = all ? all : c->launch->nctaid[axis];
    }
    for (id[2] = first[2]; id[2] < end[2] && !why; id[2]++)
        for (id[1] = first[1]; id[1] < end[1] && !why; id[1]++, number += end[0] - first[0])
            for (uint32_t n = 0; n < c->into->array_count && !why; n++)
                if (is_written(c, n) && !add_beside(c, n, id, number))
                    why = "may leave its array, or is too irregular";
    return why;
}
