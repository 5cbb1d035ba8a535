/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Parameter of the agent kernel, shared by kernels/agent.cu and the polling mechanism. */

#include <proact/device.h>

enum {
    AGENT_SPIN_CHECKS = 32
}; /* slices that a thread of a spinning agent checks in turn */

/* Chunk to wait for and to send. */
struct agent_item {
    proact_u32 slot, chunk;
};

/* Slice: the part of a chunk that one CTA of the agent sends. It is a range, which is a
   piece or a part of one, followed by the pieces next .. end - 1. */
struct agent_slice {
    struct proact_piece run; /* first range */
    proact_u32 slot, chunk, writers;
    proact_u32 next, end; /* indices of the following pieces */
    proact_u32 left; /* bytes of these that belong to the slice; may end within the last */
};

/* Work of an agent with n CTAs: CTA c sends the slices c, c + n, c + 2 n, ... */
struct agent_work {
    struct proact_partition partition;
    const struct agent_slice *slice; /* in the expected order of their chunks */
    proact_u64 slice_count;
    proact_u64 limit_ns; /* limit of the time from the start to the last wait */
    proact_u64 *status;  /* 0, or the chunk of the first wait that reached the limit */
};

/* Encoding of `status`: the top bit, the slot, the low bits of the epoch of the launch, and
   the chunk. */
#define AGENT_EPOCH_MASK 0x3ffffffu
#define AGENT_LATE_OF(slot, epoch, chunk)                                                  \
    (1ull << 63 | (proact_u64)(slot) << 58 |                                               \
     (proact_u64)((epoch)&AGENT_EPOCH_MASK) << 32 | (chunk))
#define AGENT_LATE_SLOT(status) ((proact_u32)((status) >> 58 & 31))
#define AGENT_LATE_EPOCH(status) ((proact_u32)((status) >> 32) & AGENT_EPOCH_MASK)
#define AGENT_LATE_CHUNK(status) ((proact_u32)((status)&0xffffffff))
