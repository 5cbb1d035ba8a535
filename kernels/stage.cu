/* SPDX-License-Identifier: Apache-2.0 */

/* The last words of a clone that stages what it stores in shared memory, for sm_90:
   src/instrument puts the body behind kernels that say no last words of their own, and
   gives proact_stage, the CTA's dynamic shared memory, a name of the clone's own. */

#define PROACT_HAS_BULK_COPY 1
#define PROACT_SREG_ASM asm volatile
#include <proact/device.h>

extern __shared__ __attribute__((aligned(16))) unsigned char proact_stage[];

/* The last run of all may end anywhere. */
PROACT_DEVICE_INLINE void proact_send_rest(const struct proact_slot *slot, unsigned char *to,
                                  const unsigned char *from, proact_u32 bytes,
                                  proact_u32 peers)
{
#pragma unroll 1
    for (proact_u32 i = 0; i < bytes; i++)
#pragma unroll 1
        for (proact_u32 peer = 0; peer < peers; peer++)
            to[i + slot->peer_offset[peer]] = from[i];
}

PROACT_DEVICE_INLINE void proact_send_run(const struct proact_slot *slot,
                                 const struct proact_staged_range *run, proact_u32 peers,
                                 proact_u32 peer)
{
    unsigned char *to = run->first + (proact_u64)proact_local_cta() * run->bytes;
    const unsigned char *from = proact_stage + run->shared_offset;

    if (to >= run->end)
        return;
    proact_u64 left = (proact_u64)(run->end - to);
    proact_u32 bytes = left < run->bytes ? (proact_u32)left : run->bytes, rest = bytes & 15;

    if (bytes -= rest)
        proact_send_bulk(slot, to, from, bytes, peers, peer);
    proact_send_rest(slot, to + bytes, from + bytes, rest, peers);
}

/* The kernel's end orders what goes to the peers (inline): the leader only waits until the
   stage has been read. */
extern "C" __global__ void proact_epilogue_stage(struct proact_partition partition, proact_u32 leads)
{
    const proact_u32 peers = partition.peer_count;

    if (!peers)
        return;
    proact_bulk_stage_ready();
    if (!leads)
        return;
    const proact_u32 peer = proact_cta(&partition) % peers;

#pragma unroll 1
    for (proact_u32 s = 0; s < partition.slot_count; s++)
        proact_send_run(&partition.slot[s], &partition.staged.range[s], peers, peer);
    proact_bulk_source_read();
}
