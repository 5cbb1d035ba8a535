/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What polynomials cannot say: min, max, division, bits. Simple cases become polynomials.
 */

#include "access/form/form.h"

/* Where forms are made: forms that must not have wrapped are added to `ranges`. */
struct maker {
    struct forms forms;
    struct access_range *ranges;
    uint32_t range_count;
    size_t range_capacity;
};

const struct access_form *function_make(struct maker *m, enum access_function f,
                                        bool is_signed, unsigned bits,
                                        const struct access_form *a,
                                        const struct access_form *b);

/* The form of `bits` bits read as a wider number: itself, if it lies in their range. */
const struct access_form *function_widen(struct maker *m, const struct access_form *a,
                                         unsigned bits, bool is_signed);

/* Remembers that the form has to lie in the range of so many bits, unless it does in every
   launch; of none: that it is 0. */
void function_demand(struct maker *m, const struct access_form *a, unsigned bits,
                     bool is_signed);

/* t - n * (t / n) is t % n: in forms of `bits` bits. */
const struct access_form *function_remainder(struct maker *m, const struct access_form *a,
                                             unsigned bits);
