/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Quotients and remainders by a number, which take indices apart: i / width, i % width. */

#include "access/closed/closed_form.h"

/* What a function does to its argument: divisor 0 where it is none of these. */
struct closed_division {
    int64_t divisor;
    bool is_remainder;
};
struct closed_division closed_division_of(enum access_function f, int64_t right);

/* Adds factor times the quotient or remainder of `of`, which has no curves and is never
   negative in all of the launch, nor larger than `high`, to `out`, which stays as it is
   where it cannot be taken apart. */
bool closed_divide(struct closed_view *v, const struct closed_form *of,
                   const struct closed_loops *loops, int64_t high, struct closed_division d,
                   int64_t factor, struct closed_form *out);

/* Between which values the form lies in all of the launch. */
bool closed_form_range(struct closed_view *v, const struct closed_form *f,
                       const struct closed_loops *loops, struct range *out);
