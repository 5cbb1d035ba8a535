/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What kernels/child.cu sends by: made once a binding by its mechanism. */

#include <proact/device.h>

struct child_work {
    struct proact_partition
        partition;          /* base, pieces and peers of each slot; all else is unused */
    proact_u32 threads; /* that send a chunk, at most */
};
