/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Predicates that are kept as bits of a mask: a kernel asks once for each of its loads
   whether the row lies inside, and takes the bits in each iteration of a loop, which clears
   the mask ahead of its last ones. What a bit was made of is what is asked for. */

#include "access/values/study.h"

/* What must hold, seen from `block`, where any bit of the register is set as the
   instruction reads it; with ACCESS_UNSURE in it where more is asked. NULL: not known. */
const struct access_condition *bits_condition(struct study *s, uint32_t instruction,
                                              int32_t reg, uint32_t block);

/* The same of a predicate, where that tests some bits, or is joined of such that do. */
const struct access_condition *bits_predicate(struct study *s, uint32_t instruction,
                                              int32_t reg, uint32_t block);
