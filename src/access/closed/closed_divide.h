/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Quotients and remainders by a constant, which decompose indices: i / width, i % width. */

#include "access/closed/closed_form.h"

/* Division that a function performs; divisor 0: none. */
struct closed_division {
    int64_t divisor;
    bool is_remainder;
};
struct closed_division closed_division_of(enum access_function f, int64_t right);

/* Adds factor times the quotient or remainder of `of` to `out`. `of` has no curves and lies
   in 0 .. `high` for the complete launch. False, with `out` unchanged, if the decomposition
   is not possible. */
bool closed_divide(struct closed_view *v, const struct closed_form *of,
                   const struct closed_loops *loops, int64_t high, struct closed_division d,
                   int64_t factor, struct closed_form *out);

/* Interval of the form over the complete launch. */
bool closed_form_range(struct closed_view *v, const struct closed_form *f,
                       const struct closed_loops *loops, struct range *out);
