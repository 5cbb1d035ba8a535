/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The parameter of the polling agent: seen by kernels/agent.cu and by its mechanism. */

#include <proact/device.h>

/* A chunk to wait for and to send. */
struct agent_item {
    proact_u32 slot, chunk;
};

/* What one CTA of the agent sends of a chunk: a run of bytes, and pieces behind it. */
struct agent_slice {
    struct proact_piece run; /* a piece, or a part of one */
    proact_u32 slot, chunk, writers;
    proact_u32 next, end; /* the pieces behind it */
    proact_u32 left;      /* their bytes: of the last one, not all may be this slice's */
};

/* CTA c of n has slices c, c + n, c + 2 n, ... */
struct agent_work {
    struct proact_partition partition;
    const struct agent_slice *slice; /* in the order in which their chunks are expected */
    proact_u64 slice_count;
    proact_u64 limit_ns; /* of all waiting */
    proact_u64 *status;  /* 0; or, once it gave up, for which chunk */
};

/* What `status` says: slot, the low bits of the launch's epoch, and the chunk. */
#define AGENT_EPOCH_MASK 0x3ffffffu
#define AGENT_LATE_OF(slot, epoch, chunk)                                                  \
    (1ull << 63 | (proact_u64)(slot) << 58 |                                               \
     (proact_u64)((epoch)&AGENT_EPOCH_MASK) << 32 | (chunk))
#define AGENT_LATE_SLOT(status) ((proact_u32)((status) >> 58 & 31))
#define AGENT_LATE_EPOCH(status) ((proact_u32)((status) >> 32) & AGENT_EPOCH_MASK)
#define AGENT_LATE_CHUNK(status) ((proact_u32)((status)&0xffffffff))
