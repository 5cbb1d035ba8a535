/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Predicates that two ways bring: `bool active = false; if (...) active = true;`. */

#include "access/values/study.h"

/* What the phi of a predicate is, by the branch whose ways meet there, and, in its value,
   by which predicate it was chosen; NULL: that is not known. */
const struct access_condition *joins_condition(struct study *s, uint32_t value);
