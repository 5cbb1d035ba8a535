/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/spans/rows.h"

/* Merges strided ranges of one pitch that touch or overlap in a row, or that continue after
   the last row. The input may be in any order. Returns the new number of ranges; the set of
   bytes is unchanged. */
size_t rows_merge(struct rows *r, size_t count);
