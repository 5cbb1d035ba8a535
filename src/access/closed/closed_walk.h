/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Private to closed/: from groups of stores to runs of CTAs, for one launch. */

#include "access/closed/closed_group.h"
#include "access/write_ranges/write_set_record.h"

/* What the group writes at `outer`, and, each time `step` farther on, at the `count` - 1
   values of one outer variable behind it. */
struct closed_place {
    const struct closed_template *is; /* NULL: nothing */
    int64_t from, step;
    uint32_t count;
};

/* What a group without loops writes in a line of CTAs, and, each time `down` farther on, in
   the `left` ones below. */
struct closed_lines {
    struct closed_lines_run {
        struct closed_place at; /* but that its template may have moved: */
        uint32_t is;            /* which one it is */
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

/* False where they leave the array, or too many were looked at. */
bool closed_place_find(struct closed_walk *c, struct closed_group *g, const int64_t *outer,
                       uint32_t of, uint32_t most, struct closed_place *at);
/* Whether the template, moved there, stays in an array of so many bytes. */
bool closed_place_within(const struct closed_template *t, const struct closed_place *at,
                         uint64_t bytes);
/* How many values of outer variable `axis_step` from outer[along] on, most at most, are
   alike where variable `of` is as now and up to `count` - 1 more: what moves in equal steps
   does so in between, too. */
uint32_t closed_place_alike(const struct closed_group *g, const int64_t *outer, uint32_t of,
                            uint32_t count, uint32_t axis_step, uint32_t most,
                            int64_t *step);

/* All that a group without loops writes in the line of CTAs at id[1], id[2], which are
   numbered from `cta` on. */
bool closed_lines_add(struct closed_walk *c, struct closed_group *g, const uint32_t id[3],
                      uint32_t cta);

/* Tells `into` what the CTAs that the launch looks at write; NULL, or why that cannot be: a
   phrase about a store. */
const char *closed_walk_all(struct closed_walk *c);
