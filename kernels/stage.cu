/* SPDX-License-Identifier: Apache-2.0 */

/* The last words of a clone that stages what it stores in shared memory, for sm_90:
   src/instrument puts the body behind kernels that say no last words of their own, and
   gives proact_stage, the CTA's dynamic shared memory, a name of the clone's own. */

#define PROACT_SENDS_BULK 1
#define PROACT_READ asm volatile
#include <proact/device.h>

extern __shared__ __attribute__((aligned(16))) unsigned char proact_stage[];

/* The last run of all may end anywhere. */
PROACT_WORD void proact_send_rest(const struct proact_slot *slot, unsigned char *to,
                                  const unsigned char *from, proact_u32 bytes,
                                  proact_u32 peers)
{
#pragma unroll 1
    for (proact_u32 i = 0; i < bytes; i++)
#pragma unroll 1
        for (proact_u32 peer = 0; peer < peers; peer++)
            to[i + slot->delta[peer]] = from[i];
}

PROACT_WORD void proact_send_run(const struct proact_slot *slot,
                                 const struct proact_run *run, proact_u32 peers,
                                 proact_u32 peer)
{
    unsigned char *to = run->first + (proact_u64)proact_cta_here() * run->bytes;
    const unsigned char *from = proact_stage + run->at;

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
extern "C" __global__ void proact_ending_stage(struct proact_share share, proact_u32 leads)
{
    const proact_u32 peers = share.peer_count;

    if (!peers)
        return;
    proact_bulk_ready();
    if (!leads)
        return;
    const proact_u32 peer = proact_cta(&share) % peers;

#pragma unroll 1
    for (proact_u32 s = 0; s < share.slot_count; s++)
        proact_send_run(&share.slot[s], &share.staged.run[s], peers, peer);
    proact_bulk_read();
}
