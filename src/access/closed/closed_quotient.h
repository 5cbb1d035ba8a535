/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Quotients of lines: how often a number goes into what moves with the CTA and the loops
   and what hangs on the thread together. Threads of one CTA may come to several; which come
   to the next one hangs on what the line leaves. */

#include "access/closed/closed_form.h"

struct closed_quotient {
    int64_t divisor;
    struct closed_line line; /* never negative */
    int64_t *inner;          /* by thread; the least is 0 */
    int64_t most;            /* of inner */
    int64_t high;            /* line + inner is no more */
    int64_t *remainders;     /* of inner by the divisor, each once, in order */
    uint32_t rest_count;
    uint32_t number; /* in the view */
};

/* The quotient of line + inner, which is from 0 to `high` in all of the launch; NULL where
   there are too many. Equal ones are the same. */
const struct closed_quotient *closed_quotient_find(struct closed_view *v,
                                                   const struct closed_line *line,
                                                   const int64_t *inner, int64_t high,
                                                   int64_t divisor);

/* What the line leaves where the outer variables are these, and how much more or less of it
   would take no thread to another quotient. */
struct closed_phase {
    int64_t rest, less, more;
};
struct closed_phase closed_quotient_phase(const struct closed_quotient *q, int64_t line);

/* By how much a thread's quotient is above that of the line. */
static inline int64_t closed_quotient_above(const struct closed_quotient *q, int64_t rest,
                                            uint32_t thread)
{
    const int64_t sum = rest + q->inner[thread];

    return sum < q->divisor ? 0 : sum / q->divisor;
}

/* Adds `factor` times the quotient. */
void closed_form_add_quotient(struct closed_view *v, struct closed_form *f,
                              const struct closed_quotient *q, int64_t factor);
