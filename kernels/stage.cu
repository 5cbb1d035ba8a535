/* SPDX-License-Identifier: Apache-2.0 */

/* Epilogue of a kernel version that stages its stores in shared memory (inline on sm_90).
   src/instrument appends the body to a kernel version, and renames proact_stage, the
   dynamic shared memory of the CTA. */

#define PROACT_HAS_BULK_COPY 1
#define PROACT_SREG_ASM asm volatile
#include <proact/device.h>

extern __shared__ __attribute__((aligned(16))) unsigned char proact_stage[];

/* Sends the last bytes of a range, fewer than 16, by single stores. Only the last range of
   a grid has such bytes. */
PROACT_DEVICE_INLINE void proact_send_tail(const struct proact_slot *slot,
                                           unsigned char *to, const unsigned char *from,
                                           proact_u32 bytes, struct proact_receivers r)
{
#pragma unroll 1
    for (proact_u32 i = 0; i < bytes; i++)
#pragma unroll 1
        for (struct proact_receivers left = r; left.now | left.later;)
            to[i + slot->peer_offset[proact_take_receiver(&left)]] = from[i];
}

/* Sends the staged range of this CTA in one slot to the peers that need stores of the CTA.
   Called by the leader. */
PROACT_DEVICE_INLINE void proact_send_range(const struct proact_partition *partition,
                                            const struct proact_slot *slot,
                                            const struct proact_staged_range *range)
{
    unsigned char *to = range->first + (proact_u64)proact_local_cta() * range->bytes;
    const unsigned char *from = proact_stage + range->shared_offset;

    if (to >= range->end)
        return;
    proact_u64 left = (proact_u64)(range->end - to);
    proact_u32 bytes = left < range->bytes ? (proact_u32)left : range->bytes,
               tail = bytes & 15;
    const struct proact_receivers r = proact_receivers_of(partition, slot, to, bytes);

    if (bytes -= tail)
        proact_send_bulk(slot, to, from, bytes, r);
    proact_send_tail(slot, to + bytes, from + bytes, tail, r);
}

/* Entry. The end of the kernel orders the stores to the peers (inline). The leader only
   waits until the TMA has read the staging buffer (bulk-read). */
extern "C" __global__ void proact_epilogue_stage(struct proact_partition partition,
                                                 proact_u32 is_leader)
{
    if (!partition.peer_count)
        return;
    proact_bulk_stage_ready();
    if (!is_leader)
        return;
#pragma unroll 1
    for (proact_u32 s = 0; s < partition.slot_count; s++)
        proact_send_range(&partition, &partition.slot[s], &partition.staged.range[s]);
    proact_bulk_source_read();
}
