/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Parameter of kernels/child.cu. The dynamic mechanism creates it once per binding. */

#include <proact/device.h>

/* Work of the children of one device. */
struct child_work {
    struct proact_partition partition; /* base, pieces and peers of each slot are used */
    proact_u32 threads;                /* that send a chunk, at most */
};
