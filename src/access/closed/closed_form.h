/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Forms in one launch, taken apart: what moves with the CTA and the loops, and what hangs
   on the thread alone, as a table. */

#include "access/access.h"
#include "access/form/range.h"

enum {
    CLOSED_LOOPS_MAX = 4,
    CLOSED_OUTER = 3 + CLOSED_LOOPS_MAX,
    CLOSED_QUOTIENTS_MAX = 32
};

/* Loops that are walked, beside the CTA: outer variable 3 + n counts loop[n]. */
struct closed_loops {
    uint32_t loop[CLOSED_LOOPS_MAX], count;
};

/* constant + the sum of step[n] * outer[n], where outer are the CTA's three indices and the
   loops' iterations. */
struct closed_line {
    int64_t constant, step[CLOSED_OUTER];
};

/* What moves with the outer variables alone, but not in equal steps. */
struct closed_curve {
    struct closed_curve *next;
    const struct access_form *form;
};

/* So many times a quotient of the view, each once and in the order of their numbers. */
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

/* A loop that has ended where the record's instruction is executed: whether all threads
   have gone around as often. */
struct closed_ended {
    bool is_computed, is_known;
};

struct closed_view {
    const struct access_analysis *analysis;
    const struct access_launch *launch;
    const int64_t *trips;               /* by loop, at most */
    struct arena *arena;                /* of what is made */
    uint32_t threads;                   /* of a CTA */
    uint8_t *hangs;                     /* by symbol: on what; 0: not yet known */
    const struct access_record *record; /* that is taken apart */
    struct closed_ended *ended;         /* by loop */
    uint64_t *ended_trips;              /* by loop, of those that are known */
    uint64_t *begun;                    /* by loop: iterations, where a form is evaluated */
    const struct closed_quotient *quotients[CLOSED_QUOTIENTS_MAX];
    uint32_t quotient_count;
};

/* `trips` as by access_trips(). */
void closed_view_open(struct closed_view *v, const struct access_analysis *a,
                      const struct access_launch *l, const int64_t *trips,
                      struct arena *arena);

/* What is split from now on is of that record. */
void closed_view_turn(struct closed_view *v, const struct access_record *r);

/* False if the form is not of that kind. */
bool closed_form_split(struct closed_view *v, const struct access_form *f,
                       const struct closed_loops *loops, struct closed_form *out);

/* Whether two forms differ only by a constant and in what hangs on the thread, quotients
   apart. */
bool closed_form_moves_alike(const struct closed_form *a, const struct closed_form *b);

/* `count` of the outer variables, those behind do not count. */
int64_t closed_line_at(const struct closed_line *l, const int64_t *outer, uint32_t count);

/* All but what hangs on the thread: multiples are those of their quotients' lines. */
int64_t closed_form_start(const struct closed_view *v, const struct closed_form *f,
                          const struct closed_loops *loops, const int64_t *outer);

/* Sorts values, each of which stays once: how many. */
uint32_t closed_sort_once(int64_t *values, uint32_t count);

/* Thread 0 of CTA 0. */
struct access_point closed_point(const struct access_launch *l);

/* The loops whose iterations a form counts; false if they are too many, or if the record is
   in none of them. */
bool closed_loops_find(const struct access_analysis *a, const struct access_record *r,
                       struct closed_loops *out);
