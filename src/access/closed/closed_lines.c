/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of CTAs: equal lines are evaluated once. */
#include "access/closed/closed_walk.h"
#include "base/memory.h"

static bool add_at(const struct closed_walk *c, const struct closed_group *g,
                   const struct closed_place *at, uint32_t cta)
{
    const struct cta_run run = {cta, at->count, 0, at->is ? at->is->row_count : 0,
                                (uint64_t)at->step};

    return !at->is || record_add_run(&c->into->arrays[g->array], run, at->is->rows,
                                     (uint64_t)at->from);
}

/* The next line equals the last one. */
static bool add_again(const struct closed_walk *c, const struct closed_group *g,
                      struct closed_lines *line, uint32_t cta)
{
    const uint64_t bytes = c->into->arrays[g->array].bytes;

    line->left--;
    for (uint32_t n = 0; n < line->count; n++) {
        struct closed_lines_run *run = &line->runs[n];
        struct closed_place *at = &run->at;

        at->is = at->is ? &g->templates[run->is] : NULL;
        at->from = (int64_t)((uint64_t)at->from + (uint64_t)run->down);
        if (at->is && (!closed_place_within(at->is, at, bytes) || !add_at(c, g, at, cta)))
            return false;
        cta += at->count;
    }
    return true;
}

static bool add_line(struct closed_walk *c, struct closed_group *g, int64_t *outer,
                     uint32_t cta)
{
    struct closed_lines *line = &c->lines[g - c->groups];
    uint32_t lines = c->end[1] - (uint32_t)outer[1]; /* equal lines, from this one on */
    struct closed_lines_run run;

    line->count = 0;
    for (; outer[0] < c->end[0]; outer[0] += run.at.count, cta += run.at.count) {
        if (!closed_place_find(c, g, outer, 0, c->end[0] - (uint32_t)outer[0], &run.at) ||
            !add_at(c, g, &run.at, cta))
            return false;
        if (lines == 1)
            continue;
        lines = closed_place_alike(g, outer, 0, run.at.count, 1, lines, &run.down);
        run.is = run.at.is ? (uint32_t)(run.at.is - g->templates) : 0;
        line->runs =
            must_grow(line->runs, line->count, &line->capacity, sizeof *line->runs);
        line->runs[line->count++] = run;
    }
    line->left = lines - 1;
    return true;
}

bool closed_lines_add(struct closed_walk *c, struct closed_group *g, const uint32_t id[3],
                      uint32_t cta)
{
    struct closed_lines *line = &c->lines[g - c->groups];
    int64_t outer[CLOSED_OUTER] = {c->first[0], id[1], id[2]};

    return line->left ? add_again(c, g, line, cta) : add_line(c, g, outer, cta);
}
