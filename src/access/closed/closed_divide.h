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

/* Adds factor times the quotient or remainder of `of`, which is never negative and has no
   curves, to `out`. False where it cannot be taken apart: the thread's part must neither
   carry into the outer part, nor the other way around. */
bool closed_divide(struct closed_view *v, const struct closed_form *of,
                   struct closed_division d, int64_t factor, struct closed_form *out);
