/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What counts up to an end and stops there, so that it cannot wrap:
   `i = i < n - step ? i + step : n`. Where it is less than n it is i + step. */

#include "access/values/study.h"

/* What a value of 64 bits is as long as it is less than `end`, if it is such a one, and
   `end`: NULL if not. A comparison of it with the end, without sign, is one of that. */
const struct access_form *capped_form(struct study *s, int32_t value,
                                      const struct access_form **end);

/* The same of what comes to a loop's phi from its predecessor `k`, if it comes only where
   it is less than its end. */
const struct access_form *capped_back(struct study *s, uint32_t phi, uint32_t k);
