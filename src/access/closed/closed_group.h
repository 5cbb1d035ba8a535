/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Groups of stores whose addresses move together between CTAs and iterations. The writes of
   a CTA depend only on the threads that its facts select: CTAs with equal selections write
   equal ranges from different start addresses. Few CTAs are therefore evaluated thread by
   thread. */

#include "access/closed/closed_store.h"
#include "access/write_ranges/write_set_spans.h"
#include "base/spans/rows.h"

struct closed_span {
    int64_t first, end;
};

/* Ranges for one selection of the facts, relative to the start of the group. */
struct closed_template {
    uint64_t hash;
    int64_t *bounds; /* `bounds` of the group for this selection */
    struct closed_span *spans;
    uint32_t count, row_count;
    struct rows *rows; /* the same ranges; negative offsets are modulo 2^64 */
    uint64_t bytes;    /* of all spans */
};

struct closed_group {
    uint32_t array, line; /* of the first store */
    bool is_atomic;
    struct closed_form at; /* of the first store */
    struct closed_loops loops;
    int64_t trips[CLOSED_LOOPS_MAX];
    const struct closed_view *view;
    uint32_t threads; /* of a CTA */
    uint32_t store_count, fact_count;
    struct closed_member {
        const struct closed_store *store;
        uint32_t fact[CLOSED_FACTS_MAX]; /* indices in the group's facts */
    } * stores;
    struct closed_group_fact {
        const struct closed_fact *fact;
        int64_t *sorted; /* distinct inner values */
        uint32_t count;
    } * facts;
    struct closed_template *templates;
    uint32_t template_count, last;
    size_t template_capacity;
    /* Current selection. By fact: the largest inner value that satisfies it. Then, by
       quotient: the remainder of its line, rounded down as long as all threads keep their
       quotient. */
    int64_t *bounds;
    uint32_t quotients; /* bit set of the relevant ones */
    struct write_set_spans spans;
};

/* Whether the store writes the group's array and moves like the group. */
bool closed_group_fits(const struct closed_group *g, const struct closed_store *s);

/* Store and view must outlive the group. Tables for all stores and facts belong to the
   view. */
void closed_group_open(struct closed_group *g, const struct closed_store *s,
                       const struct closed_view *v, uint32_t stores);
void closed_group_add(struct closed_group *g, const struct closed_store *s);

/* Interval of the form's thread part at the given outer variables. */
struct range closed_group_inner(const struct closed_group *g, const struct closed_form *f,
                                const int64_t *outer);

/* Ranges that the group writes at the given outer variables, and their start; NULL:
   none. */
const struct closed_template *closed_group_at(struct closed_group *g, const int64_t *outer,
                                              int64_t *from);
/* Number of consecutive values of outer variable `of`, at most `most`, with the same
   ranges. Each start is *step farther; *step is 0 for one value. */
uint32_t closed_group_alike(const struct closed_group *g, const int64_t *outer, uint32_t of,
                            uint32_t most, int64_t *step);
void closed_group_clear(struct closed_group *g);
