/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Counters that stop at an end and therefore cannot wrap: `i = i < n - step ? i + step :
   n`. As long as the counter is less than n, it equals i + step. */

#include "access/values/study.h"

/* Form of a 64-bit value for the case that it is less than `end`, and `end`, if the value
   is such a counter; else NULL. An unsigned comparison of the value with the end then
   equals a comparison of the form. */
const struct access_form *capped_form(struct study *s, int32_t value,
                                      const struct access_form **end);

/* The same for the value that predecessor `k` passes to a loop's phi, if that edge is taken
   only when the value is less than its end. */
const struct access_form *capped_back(struct study *s, uint32_t phi, uint32_t k);
