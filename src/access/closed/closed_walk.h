/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* From groups of stores to CTA runs, for one launch; private to this folder. */

#include "access/closed/closed_group.h"
#include "access/write_ranges/write_set_record.h"

/* Writes of a group at the outer variables `outer`, repeated at distance `step` for `count`
   - 1 further values of one outer variable. */
struct closed_place {
    const struct closed_template *is; /* NULL: none */
    int64_t from, step;
    uint32_t count;
};

/* Writes of a group without loops in a line of CTAs. They repeat in the next `left` lines,
   each shifted by `down`. */
struct closed_lines {
    struct closed_lines_run {
        struct closed_place at; /* its template pointer may be stale: */
        uint32_t is;            /* the index of the template */
        int64_t down;
    } * runs;
    uint32_t count, left;
    size_t capacity;
};

struct closed_walk {
    const struct access_launch *launch;
    uint32_t first[3], end[3]; /* CTAs */
    struct record *into;
    struct closed_group *groups;
    uint32_t group_count;
    struct rows_list rows, apart; /* of one CTA and array */
    struct closed_lines *lines;   /* by group */
};

/* False if the ranges leave the array, or at a limit. */
bool closed_place_find(struct closed_walk *c, struct closed_group *g, const int64_t *outer,
                       uint32_t of, uint32_t most, struct closed_place *at);
/* Whether the shifted template stays in an array of `bytes` bytes. */
bool closed_place_within(const struct closed_template *t, const struct closed_place *at,
                         uint64_t bytes);
/* Number of values of outer variable `along`, from outer[along] on and at most `most`, with
   equal ranges both at the current value of variable `of` and at its next `count` - 1
   values. Linear forms then agree in between. */
uint32_t closed_place_alike(const struct closed_group *g, const int64_t *outer, uint32_t of,
                            uint32_t count, uint32_t axis_step, uint32_t most,
                            int64_t *step);

/* Adds the writes of a group without loops in the line of CTAs at id[1], id[2]. The line
   starts with CTA number `cta`. */
bool closed_lines_add(struct closed_walk *c, struct closed_group *g, const uint32_t id[3],
                      uint32_t cta);

/* Adds the writes of all CTAs of the launch to `into`. Returns NULL, or a phrase about a
   store with the reason of a failure. */
const char *closed_walk_all(struct closed_walk *c);
