/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Stores that move together from CTA to CTA and from iteration to iteration. What one CTA
   writes by them hangs on where it stands against their facts only: CTAs that stand alike
   write alike, from another start. So few of them are looked at thread by thread. */

#include "access/closed/closed_store.h"
#include "access/write_ranges/write_set_spans.h"
#include "base/spans/rows.h"

struct closed_span {
    int64_t first, end;
};

/* What is written where the facts stand alike, from where the group starts. */
struct closed_template {
    uint64_t hash;
    int64_t *bounds; /* the group's, as they were */
    struct closed_span *spans;
    uint32_t count, row_count;
    struct rows *rows; /* the same; what is before the start is below 2^64 */
    uint64_t bytes;    /* of all spans */
};

struct closed_group {
    uint32_t array, line; /* of its first store */
    bool is_atomic;
    struct closed_form at; /* of the first store */
    struct closed_loops loops;
    int64_t trips[CLOSED_LOOPS_MAX];
    const struct closed_view *view;
    uint32_t threads; /* of a CTA */
    uint32_t store_count, fact_count;
    struct closed_member {
        const struct closed_store *store;
        uint32_t fact[CLOSED_FACTS_MAX]; /* of the group, one by one */
    } * stores;
    struct closed_group_fact {
        const struct closed_fact *fact;
        int64_t *sorted; /* its inner values, each once */
        uint32_t count;
    } * facts;
    struct closed_template *templates;
    uint32_t template_count, last;
    size_t template_capacity;
    /* Where it stands now: by fact, how large what hangs on the thread may be; then, by
       their numbers, what is left of its quotients' lines, as much less as makes no
       difference. */
    int64_t *bounds;
    uint32_t quotients; /* that count, by number */
    struct write_set_spans spans;
};

/* Whether the store goes to the same array and moves as the group's. */
bool closed_group_fits(const struct closed_group *g, const struct closed_store *s);

/* Store and view must stay. Room for all stores and their facts is the view's. */
void closed_group_open(struct closed_group *g, const struct closed_store *s,
                       const struct closed_view *v, uint32_t stores);
void closed_group_add(struct closed_group *g, const struct closed_store *s);

/* Between which numbers what of a form hangs on the thread lies there. */
struct range closed_group_inner(const struct closed_group *g, const struct closed_form *f,
                                const int64_t *outer);

/* What it writes where the outer variables are these, and from where; NULL for nothing. */
const struct closed_template *closed_group_at(struct closed_group *g, const int64_t *outer,
                                              int64_t *from);
/* For how many values of outer variable `of`, up to `most`, from this one on, that is the
   same, each time from *step farther on (0 for one). */
uint32_t closed_group_alike(const struct closed_group *g, const int64_t *outer, uint32_t of,
                            uint32_t most, int64_t *step);
void closed_group_clear(struct closed_group *g);
