/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Operations that polynomials cannot express: minimum, maximum, division, bit operations.
   Simple cases reduce to polynomials. */

#include "access/form/form.h"

/* Builder of forms. Assumptions about wrap-around are added to `ranges`. */
struct maker {
    struct forms forms;
    struct access_range *ranges;
    uint32_t range_count;
    size_t range_capacity;
    const uint32_t *block; /* size that the function requires of a block, 0: any; or NULL */
};

const struct access_form *function_make(struct maker *m, enum access_function f,
                                        bool is_signed, unsigned bits,
                                        const struct access_form *a,
                                        const struct access_form *b);

/* The form of `bits` bits, widened. The result equals the form if it lies in the range of
   `bits` bits; that is assumed. */
const struct access_form *function_widen(struct maker *m, const struct access_form *a,
                                         unsigned bits, bool is_signed);

/* Records the assumption that the form lies in the range of `bits` bits, unless it does in
   every launch. bits = 0: the form is 0. */
void function_demand(struct maker *m, const struct access_form *a, unsigned bits,
                     bool is_signed);

/* Rewrites t - n * (t / n) as t % n, in forms of `bits` bits. */
const struct access_form *function_remainder(struct maker *m, const struct access_form *a,
                                             unsigned bits);
