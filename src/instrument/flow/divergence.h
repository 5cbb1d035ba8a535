/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Where the threads of a CTA may go different ways. */

#include "ptx/ptx.h"

enum {
    DIVERGENCE_LANE = 1,   /* among those of a warp */
    DIVERGENCE_THREAD = 2, /* among those of a CTA */
    DIVERGENCE_ENDS = 4,   /* and some of a warp may be at the kernel's end meanwhile */
};

/* By block: how the threads differ that come to it before they all meet again. */
uint8_t *divergence_find(const struct ptx_function *f, const struct ptx_flow *flow,
                         struct arena *arena);
