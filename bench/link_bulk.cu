/* SPDX-License-Identifier: Apache-2.0 */

/* Bulk copies (TMA) of the link bench, for sm_90 and later. */

#include <proact/device.h>

#include "link.h"

/* loads in flight for each of 32 threads */
enum { LINK_AHEAD = 8, LINK_PART = 16 * 32 * LINK_AHEAD };

/* Stages the first bytes of a line, in whole parts. */
PROACT_DEVICE_INLINE void link_stage(unsigned char *line, link_u64 from, proact_u32 bytes)
{
#pragma unroll 1
    for (proact_u32 at = 16 * proact_thread_x(); at < bytes; at += LINK_PART) {
        struct proact_u32x4 v[LINK_AHEAD];

#pragma unroll
        for (int k = 0; k < LINK_AHEAD; k++)
            v[k] = proact_load_vector((const unsigned char *)from + at + 16 * 32 * k);
#pragma unroll
        for (int k = 0; k < LINK_AHEAD; k++)
            proact_store_vector(line + at + 16 * 32 * k, &v[k]);
    }
}

/* Each CTA of 32 threads stages a line of the source's first block, and sends it to every
   block of the target. It stages the next line meanwhile. */
extern "C" __global__ void link_bulk(struct link_bulk b)
{
    __shared__ __attribute__((aligned(16))) unsigned char stage[2][LINK_LINE_BYTES];
    proact_u32 turn = 0;
    bool leads = proact_thread_x() == 0;

#pragma unroll 1
    for (proact_u32 n = proact_local_cta(); n < LINK_LINES; n += b.ctas, turn ^= 1) {
        link_u64 at = (link_u64)n * LINK_LINE_BYTES;
        unsigned char *to = (unsigned char *)(b.to + at);

        if (leads) /* the stage of the line before the last one is free */
            asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
        proact_cta_sync();
        link_stage(stage[turn], b.from + at, LINK_LINE_BYTES);
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        proact_cta_sync();
        if (!leads)
            continue;
#pragma unroll 1
        for (proact_u32 block = 0; block < b.blocks; block++)
            proact_issue_bulk(to + (link_u64)block * 4 * LINK_BLOCK_WORDS, stage[turn],
                              LINK_LINE_BYTES);
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    }
    proact_bulk_wait();
}

/* Each CTA of 32 threads stages a line and sends it until the message is complete. */
extern "C" __global__ void link_bulk_message(struct link_message m)
{
    __shared__ __attribute__((aligned(16))) unsigned char stage[LINK_LINE_BYTES];
    const link_u64 at = (link_u64)(proact_local_cta() % LINK_LINES) * LINK_LINE_BYTES;
    const proact_u32 first =
        m.bytes < LINK_LINE_BYTES ? (proact_u32)m.bytes : (proact_u32)LINK_LINE_BYTES;
    unsigned char *to = (unsigned char *)m.to + at;
    proact_u32 block = 0;

    link_stage(stage, m.from + at, first);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    proact_cta_sync();
    if (proact_thread_x())
        return;
#pragma unroll 1
    for (link_u64 rest = m.bytes; rest; block = block + 1 < m.blocks ? block + 1 : 0) {
        const proact_u32 bytes = rest < first ? (proact_u32)rest : first;

        proact_issue_bulk(to + (link_u64)block * 4 * LINK_BLOCK_WORDS, stage, bytes);
        rest -= bytes;
    }
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    proact_bulk_wait();
}
