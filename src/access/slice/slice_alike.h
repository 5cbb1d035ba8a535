/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Whether two arms of a branch, or what is ahead of it and an arm, make the same. */

#include "access/slice/slice.h"

/* A register that an instruction uses. */
struct slice_use {
    uint32_t at, reg;
};

/* Whether, each time that control comes by the block's branch, both hold the same when it
   next comes to them: what either sees is one definition ahead of the branch, or behind it
   in its own arm, where the other one has an equal. */
bool slice_is_alike(const struct slice *s, uint32_t branch, struct slice_use a,
                    struct slice_use b);

/* The one definition that the use sees, by its place in `definitions`, or -1. */
int64_t slice_only_definition(const struct slice *s, struct slice_use of);
/* Whether control comes by instruction `at` before it comes to `to`, each time. */
bool slice_is_ahead(const struct slice *s, uint32_t at, uint32_t to);
