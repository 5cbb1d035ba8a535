/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Control-flow divergence: the blocks in which threads of a CTA may take different
   paths. */

#include "ptx/ptx.h"

enum {
    DIVERGENCE_LANE = 1,   /* among the threads of a warp */
    DIVERGENCE_THREAD = 2, /* among the threads of a CTA */
    DIVERGENCE_ENDS = 4,   /* some threads of a warp may already be at the kernel's end */
};

/* Bits of divergence by block: how the threads that execute the block may differ, up to the
   block where they reconverge. */
uint8_t *divergence_find(const struct ptx_function *f, const struct ptx_flow *flow,
                         struct arena *arena);
