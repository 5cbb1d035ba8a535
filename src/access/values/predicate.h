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

/* Whether a value is constant; sets `*out` to the constant. */
bool predicate_constant(const struct study *s, int32_t value, bool *out);
