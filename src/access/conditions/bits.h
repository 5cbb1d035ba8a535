/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Predicates that a kernel stores as bits of a mask. The kernel tests once for each of its
   loads whether the row is inside, and each iteration of a loop tests bits of the mask. The
   loop clears the mask before its last iterations. The analysis resolves a tested bit to
   the condition from which it was computed. */

#include "access/values/study.h"

/* Necessary condition, seen from `block`, for any bit of the register to be set at the
   instruction. It contains ACCESS_UNSURE if further conditions exist. NULL: unknown. */
const struct access_condition *bits_condition(struct study *s, uint32_t instruction,
                                              int32_t reg, uint32_t block);

/* The same for a predicate that tests bits or combines such tests. */
const struct access_condition *bits_predicate(struct study *s, uint32_t instruction,
                                              int32_t reg, uint32_t block);
