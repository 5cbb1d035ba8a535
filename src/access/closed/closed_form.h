/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Closed forms of one launch: a symbolic expression decomposed into a part that depends on
   the CTA and the loops, and a table of the part that depends only on the thread. */

#include "access/access.h"
#include "access/form/range.h"

enum {
    CLOSED_LOOPS_MAX = 4,
    CLOSED_OUTER = 3 + CLOSED_LOOPS_MAX,
    CLOSED_QUOTIENTS_MAX = 32
};

/* Loops that are walked in addition to the CTA: outer variable 3 + n counts loop[n]. */
struct closed_loops {
    uint32_t loop[CLOSED_LOOPS_MAX], count;
};

/* constant + the sum of step[n] * outer[n]. The outer variables are the three CTA indices
   and the iterations of the loops. */
struct closed_line {
    int64_t constant, step[CLOSED_OUTER];
};

/* Part that depends only on the outer variables, but not linearly. */
struct closed_curve {
    struct closed_curve *next;
    const struct access_form *form;
};

/* Factor times a quotient of the view. Each quotient occurs once, ordered by number. */
struct closed_multiple {
    struct closed_multiple *next;
    int64_t factor;
    const struct closed_quotient *of;
};

/* line + the sum of the curves and multiples + inner[thread] */
struct closed_form {
    struct closed_line line;
    struct closed_curve *curves;
    struct closed_multiple *multiples;
    int64_t *inner;      /* by thread */
    int64_t least, most; /* of inner */
};

/* Loop that has ended when the record's instruction executes: whether its trip count is the
   same for all threads. */
struct closed_ended {
    bool is_computed, is_known;
};

struct closed_view {
    const struct access_analysis *analysis;
    const struct access_launch *launch;
    const int64_t *trips;               /* by loop, upper bounds */
    struct arena *arena;                /* of all results */
    uint32_t threads;                   /* of a CTA */
    uint8_t *hangs;                     /* by symbol: its dependences; 0: not computed */
    const struct access_record *record; /* the decomposed record */
    struct closed_ended *ended;         /* by loop */
    uint64_t *ended_trips;              /* by loop, of the known ones */
    uint64_t *begun;                    /* by loop: iterations at an evaluation */
    const struct closed_quotient *quotients[CLOSED_QUOTIENTS_MAX];
    uint32_t quotient_count;
};

/* `trips` comes from access_trips(). */
void closed_view_open(struct closed_view *v, const struct access_analysis *a,
                      const struct access_launch *l, const int64_t *trips,
                      struct arena *arena);

/* Sets the record of the following decompositions. */
void closed_view_turn(struct closed_view *v, const struct access_record *r);

/* Decomposes a form; false if it has another shape. */
bool closed_form_split(struct closed_view *v, const struct access_form *f,
                       const struct closed_loops *loops, struct closed_form *out);

/* Whether two forms differ only by a constant and in the part of the thread, quotients
   excluded. */
bool closed_form_moves_alike(const struct closed_form *a, const struct closed_form *b);

/* Value of the line; only the first `count` outer variables are used. */
int64_t closed_line_at(const struct closed_line *l, const int64_t *outer, uint32_t count);

/* Value without the part of the thread. Multiples count with the quotients of their
   lines. */
int64_t closed_form_start(const struct closed_view *v, const struct closed_form *f,
                          const struct closed_loops *loops, const int64_t *outer);

/* Sorts values and removes duplicates; returns the remaining number. */
uint32_t closed_sort_once(int64_t *values, uint32_t count);

/* Thread 0 of CTA 0. */
struct access_point closed_point(const struct access_launch *l);

/* Loops whose iterations a form counts. False if there are too many, or if one does not
   surround the record. */
bool closed_loops_find(const struct access_analysis *a, const struct access_record *r,
                       struct closed_loops *out);
