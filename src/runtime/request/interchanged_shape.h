/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Partition axis of a kernel's launches, by launch shape (launch_axis.h). */

#include <stdbool.h>
#include <stdint.h>

/* One shape with its partition axis and the observations for it (program/choose_order.h).
 */
struct interchanged_shape {
    struct interchanged_shape *next;
    struct kernel_interchanges *of;
    uint32_t grid[3], threads[3]; /* of the original kernel */
    unsigned slowest;             /* the partition axis */
    unsigned launches, look_next; /* since the last change; of the next evaluation */
    unsigned looks, changes;
    uint64_t missing_bytes[3];  /* per dimension: missing bytes, summed over all
                                   observations */
    uint64_t missing_copies[3]; /* of these bytes */
    uint64_t evaluation_ns[3];  /* expected host time to evaluate it; 0: unknown */
    bool is_no_good[3];         /* per dimension: rejected as partition axis */
};

/* Interchanged versions and shapes of a kernel. */
struct kernel_interchanges {
    struct interchanged_shape *shapes;
    unsigned count;
    struct interchanged_kernel {
        bool is_checked;
        struct proact_kernel *variant; /* NULL: none exists */
    } of[3];                           /* x and y, x and z, y and z */
};
void interchanges_drop(struct proact_kernel *k);

/* Entry of the shape, created if necessary; NULL: the limit of shapes is reached. */
struct interchanged_shape *interchanged_shape_find(struct proact_kernel *k,
                                                   const uint32_t grid[3],
                                                   const uint32_t threads[3]);
/* Slowest dimension of the original grid, and whether a dimension may replace it. */
unsigned shape_slowest(const uint32_t grid[3]);
bool shape_may_be_slowest(const struct interchanged_shape *s, unsigned dimension);
