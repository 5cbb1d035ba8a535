/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Parameter of kernels/combine.cu, shared by the kernel and src/transfer. */

#include <proact/device.h>

/* Operation that combines two values. */
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

/* Work of one device. */
struct combine_work {
    void *to;                  /* replica on device 0 */
    void *from;                /* partial results of this device; neutral afterwards */
    proact_u64 count, neutral; /* elements; value that changes no other */
    proact_u32 how;            /* enum combine_how */
    proact_u32 is_wide;        /* elements have 8 bytes, otherwise 4 */
};
