/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Forms in one launch, taken apart: what moves with the CTA and the loops, in equal steps,
   and what hangs on the thread alone, as a table. */

#include "access/access.h"

enum { CLOSED_LOOPS_MAX = 4, CLOSED_OUTER = 3 + CLOSED_LOOPS_MAX };

/* Loops that are walked, beside the CTA: outer variable 3 + n counts loop[n]. */
struct closed_loops {
    uint32_t loop[CLOSED_LOOPS_MAX], count;
};

/* constant + the sum of step[n] * outer[n] + inner[thread], where outer are the CTA's three
   indices and the loops' iterations. */
struct closed_form {
    int64_t constant, step[CLOSED_OUTER];
    const int64_t *inner; /* by thread */
    int64_t least, most;  /* of inner */
};

struct closed_view {
    const struct access_analysis *analysis;
    const struct access_launch *launch;
    struct arena *arena; /* of what is made */
    uint32_t threads;    /* of a CTA */
    uint8_t *hangs;      /* by symbol: on what; 0: not yet known */
};

void closed_view_open(struct closed_view *v, const struct access_analysis *a,
                      const struct access_launch *l, struct arena *arena);

/* False if the form is not of that kind. */
bool closed_form_split(struct closed_view *v, const struct access_form *f,
                       const struct closed_loops *loops, struct closed_form *out);

/* The loops whose iterations a form counts; false if they are too many, or if the record is
   in none of them. */
bool closed_loops_find(const struct access_analysis *a, const struct access_record *r,
                       struct closed_loops *out);
