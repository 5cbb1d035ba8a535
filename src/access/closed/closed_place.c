/* SPDX-License-Identifier: Apache-2.0 */
#include "access/closed/closed_walk.h"

#include <string.h>

/* Limits of evaluated points (CTAs and iterations) and of distinct selections: beyond them,
   the execution of the slice is not slower. */
enum { PLACES_MAX = 1 << 24, LOOKS_MAX = 1 << 22 };

/* Whether a template at `from` stays in the array; `from` is any 64-bit number. */
static bool is_within(const struct closed_template *t, int64_t from, uint64_t bytes)
{
    const int64_t most = (int64_t)1 << 61;
    int64_t first = t->spans[0].first, end = t->spans[t->count - 1].end;

    if (from < -most || from > most || first < -most || end > most)
        return false;
    return from + first >= 0 && (uint64_t)(from + end) <= bytes;
}

bool closed_place_within(const struct closed_template *t, const struct closed_place *at,
                         uint64_t bytes)
{
    const uint64_t way = (at->count - 1u) * (uint64_t)at->step;

    return is_within(t, at->from, bytes) &&
           is_within(t, (int64_t)((uint64_t)at->from + way), bytes);
}

bool closed_place_find(struct closed_walk *c, struct closed_group *g, const int64_t *outer,
                       uint32_t of, uint32_t most, struct closed_place *at)
{
    struct record_array *a = &c->into->arrays[g->array];

    if (c->into->places++ == PLACES_MAX)
        return false;
    at->count = most > 1 ? closed_group_alike(g, outer, of, most, &at->step) : 1;
    if (at->count == 1)
        at->step = 0;
    at->is = closed_group_at(g, outer, &at->from);
    if (!at->is)
        return true;
    record_note_line(a, g->line, g->is_atomic);
    return closed_place_within(at->is, at, a->bytes) &&
           (uint64_t)g->template_count * g->threads * g->store_count <= LOOKS_MAX;
}

uint32_t closed_place_alike(const struct closed_group *g, const int64_t *outer, uint32_t of,
                            uint32_t count, uint32_t axis_step, uint32_t most,
                            int64_t *step)
{
    int64_t last[CLOSED_OUTER];

    memcpy(last, outer, sizeof last);
    last[of] += count - 1u;
    most = closed_group_alike(g, outer, axis_step, most, step);
    return closed_group_alike(g, last, axis_step, most, step);
}
