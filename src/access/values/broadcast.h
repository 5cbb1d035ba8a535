/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Warp exchanges of a value that all lanes share, such as the index of a thread's warp:
   `__shfl_sync(~0u, threadIdx.x / 32, 0)`. Compilers cannot know that the lanes agree. */

#include "access/values/study.h"

/* Form of the result of a shfl.sync; NULL: unknown. Where the form needs it, the assumption
   is recorded that each warp lies inside one row of the CTA. */
const struct access_form *broadcast_form(struct study *s, uint32_t instruction);
