/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/spans/rows.h"

/* The same bytes as fewer rows, where rows of one pitch touch or overlap side by side, or
   go on behind the last. Of rows in any order; returns how many are left of `count`. */
size_t rows_merge(struct rows *r, size_t count);
