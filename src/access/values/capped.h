/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Counters that stop at an end and therefore cannot wrap: `i = i < n - step ? i + step :
   n`, the minimum or maximum of a step and the end, or a join of both. A counter that
   differs from the end is the step, whatever selected it. */

#include "access/values/study.h"

/* Condition of a setp that compares such a counter with its end: that the step is selected
   and compares so. NULL: it compares something else. */
const struct access_condition *capped_condition(struct study *s, uint32_t instruction);

/* Form of the value that predecessor `k` passes to a loop's phi, if that edge is taken only
   when the value, a capped counter, is the step; else NULL. */
const struct access_form *capped_back(struct study *s, uint32_t phi, uint32_t k);
