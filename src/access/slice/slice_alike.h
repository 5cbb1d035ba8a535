/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Equivalence of values in two arms of a branch, or in an arm and before the branch. */

#include "access/slice/slice.h"

/* Use of a register by an instruction. */
struct slice_use {
    uint32_t at, reg;
};

/* Whether both uses see equal values each time control passes the block's branch and next
   reaches them. Each use sees one definition: before the branch, or in its own arm, with an
   equivalent definition in the other arm. */
bool slice_is_alike(const struct slice *s, uint32_t branch, struct slice_use a,
                    struct slice_use b);

/* Index in `definitions` of the only definition that the use sees, or -1. */
int64_t slice_only_definition(const struct slice *s, struct slice_use of);
/* Whether control always passes instruction `at` before it reaches `to`. */
bool slice_is_ahead(const struct slice *s, uint32_t at, uint32_t to);
