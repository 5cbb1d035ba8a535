/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What an instruction makes of predicates. */

#include "access/values/study.h"

/* The condition of destination number `element`; never NULL. */
const struct access_condition *predicate_condition(struct study *s, uint32_t instruction,
                                                   uint32_t element);

const struct access_condition *predicate_unless(struct study *s,
                                                const struct access_condition *c);

/* Both of them, or either. */
const struct access_condition *predicate_pair(struct study *s,
                                              enum access_condition_kind kind,
                                              const struct access_condition *a,
                                              const struct access_condition *b);

/* Whether a value is always set, or never. */
bool predicate_constant(const struct study *s, int32_t value, bool *out);
