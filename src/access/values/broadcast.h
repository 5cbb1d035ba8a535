/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What lanes give each other where all have the same, as compilers cannot know of the
   number of a thread's warp: `__shfl_sync(~0u, threadIdx.x / 32, 0)`. */

#include "access/values/study.h"

/* What a shfl.sync gives; NULL: not known. That warps stand in rows of the CTA, each in
   one, is demanded where that counts. */
const struct access_form *broadcast_form(struct study *s, uint32_t instruction);
