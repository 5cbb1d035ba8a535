/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The parameter of the kernel that combines partial results: seen by kernels/combine.cu and
   by who launches it. */

#include <proact/device.h>

enum combine_how {
    COMBINE_ADD,
    COMBINE_ADD_FLOAT,
    COMBINE_MIN,
    COMBINE_MIN_SIGNED,
    COMBINE_MAX,
    COMBINE_MAX_SIGNED,
    COMBINE_AND,
    COMBINE_OR,
    COMBINE_XOR
};

struct combine_work {
    void *to;   /* on the first device */
    void *from; /* here: as it was before there were results, when it is done */
    proact_u64 count, neutral;
    proact_u32 how;     /* enum combine_how */
    proact_u32 is_wide; /* elements of 8 bytes, else of 4 */
};
