/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Conditions of predicate instructions. */

#include "access/values/study.h"

/* Condition of destination `element` of the instruction; never NULL. */
const struct access_condition *predicate_condition(struct study *s, uint32_t instruction,
                                                   uint32_t element);

const struct access_condition *predicate_unless(struct study *s,
                                                const struct access_condition *c);

/* Conjunction or disjunction, by `kind`. */
const struct access_condition *predicate_pair(struct study *s,
                                              enum access_condition_kind kind,
                                              const struct access_condition *a,
                                              const struct access_condition *b);

/* Comparison of a setp; false: of another type than integers. It is signed unless the
   operator is lo, ls, hi or hs, or the type is unsigned. */
bool predicate_comparison(const struct ptx_instruction *i, enum access_comparison *out,
                          bool *is_signed);

/* Whether a value is constant; sets `*out` to the constant. */
bool predicate_constant(const struct study *s, int32_t value, bool *out);
