/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Quotients of the sum of a line and the thread part by a constant. Threads of one CTA may
   have different quotients. The remainder of the line decides which threads reach the next
   one. */

#include "access/closed/closed_form.h"

struct closed_quotient {
    int64_t divisor;
    struct closed_line line; /* never negative */
    int64_t *inner;          /* by thread; the smallest is 0 */
    int64_t most;            /* of inner */
    int64_t high;            /* upper bound of line + inner */
    int64_t *remainders;     /* distinct remainders of inner, ascending */
    uint32_t rest_count;
    uint32_t number; /* index in the view */
};

/* Quotient of line + inner, which lies in 0 .. `high` for the complete launch. NULL if
   there are too many. Equal quotients are shared. */
const struct closed_quotient *closed_quotient_find(struct closed_view *v,
                                                   const struct closed_line *line,
                                                   const int64_t *inner, int64_t high,
                                                   int64_t divisor);

/* Remainder of the line at the given value, and how far it may decrease or increase while
   each thread keeps its quotient. */
struct closed_phase {
    int64_t rest, less, more;
};
struct closed_phase closed_quotient_phase(const struct closed_quotient *q, int64_t line);

/* Difference between a thread's quotient and that of the line. */
static inline int64_t closed_quotient_above(const struct closed_quotient *q, int64_t rest,
                                            uint32_t thread)
{
    const int64_t sum = rest + q->inner[thread];

    return sum < q->divisor ? 0 : sum / q->divisor;
}

/* Adds `factor` times the quotient. */
void closed_form_add_quotient(struct closed_view *v, struct closed_form *f,
                              const struct closed_quotient *q, int64_t factor);
