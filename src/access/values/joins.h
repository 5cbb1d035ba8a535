/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Phi nodes of predicates: `bool active = false; if (...) active = true;`. */

#include "access/values/study.h"

/* Condition of a predicate's phi, from the branch whose two sides meet there; NULL:
   unknown. Sets `chosen_by` of the value to the predicate of the branch. */
const struct access_condition *joins_condition(struct study *s, uint32_t value);
