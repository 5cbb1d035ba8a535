/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Along which dimension the launches of a kernel are split (launch_axis.h), by shape. */

#include "runtime/session/session.h"

/* Which dimension is the slowest, and what was seen of that
   (choice/choose_order.h). */
struct interchanged_shape {
    struct interchanged_shape *next;
    struct kernel_interchanges *of;
    uint32_t grid[3], threads[3]; /* as the program has them */
    unsigned slowest;             /* that it is split along */
    unsigned launches, looks, changes;
    uint64_t missing_bytes[3]; /* by dimension: bytes, in all looks together */
    bool is_no_good[3];        /* by dimension */
};

/* Of a kernel. */
struct kernel_interchanges {
    struct interchanged_shape *shapes;
    unsigned count, looks;
    struct interchanged_kernel {
        bool is_checked;
        struct proact_kernel *variant; /* NULL: there is none */
    } of[3];                           /* x and y, x and z, y and z */
};
void interchanges_drop(struct proact_kernel *k);

/* Made where there is none; NULL: there are too many. */
struct interchanged_shape *interchanged_shape_find(struct proact_kernel *k,
                                                   const uint32_t grid[3],
                                                   const uint32_t threads[3]);
/* The dimension that is the slowest as the program has it; and which may be. */
unsigned shape_slowest(const uint32_t grid[3]);
bool shape_may_be_slowest(const struct interchanged_shape *s, unsigned dimension);
