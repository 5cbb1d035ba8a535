/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Behind <proact/device.h>: what a CTA has staged in shared memory goes out as a run.

   On sm_90 and later one thread hands it to the TMA (cp.async.bulk), which reads shared
   memory and writes global memory beside the threads, by the asynchronous proxy. The PTX
   memory model orders that with the threads' own accesses like this:

   - what threads staged comes before the TMA's reads by a fence.proxy.async on the way
     from the store to the bulk store: each thread's own (bulk-order), ahead of a barrier
     (bulk-stage), behind which the leader issues;
   - what the TMA writes comes before nothing but cp.async.bulk.wait_group, without .read,
     in the thread that issued it: the writes are then visible to that thread, in the
     generic proxy, and what releases its own stores releases them too. The leader waits
     in proact_done() (bulk-landed) before its fence or count, so a chunk counts as
     written when it is, and agents, copies and other CTAs know nothing of bulk stores;
   - under inline, where nobody counts, the end of the kernel orders the stores to peers,
     in bulk or not. It does not keep a CTA's shared memory: the leader waits until that
     has been read (bulk-read).

   On older devices, and where `to` and `from` do not lie alike within 16 bytes, threads
   load and store, 16 bytes each where that can be. */

/* To this device's array, and to the same bytes on each peer, number `peer` first. */
template <class T>
PROACT_DEVICE_INLINE void proact_store_elements(const struct proact_slot *slot, T *to,
                                                const T *from, proact_u32 count,
                                                proact_u32 peers, proact_u32 peer)
{
    const proact_u32 first = peer;

#pragma unroll 1
    for (proact_u32 i = proact_thread_index(); i < count; i += proact_thread_count()) {
        const T v = from[i];

        to[i] = v;
        peer = first;
#pragma unroll 1
        for (proact_u32 n = 0; n < peers; n++) {
            *(T *)((unsigned char *)(to + i) + slot->peer_offset[peer]) = v;
            peer = peer + 1 == peers ? 0 : peer + 1;
        }
    }
}

PROACT_DEVICE_INLINE void proact_store_vectors(const struct proact_slot *slot,
                                               unsigned char *to, const unsigned char *from,
                                               proact_u32 bytes, proact_u32 peers,
                                               proact_u32 peer)
{
    const proact_u32 first = peer;

#pragma unroll 1
    for (proact_u32 i = 16 * proact_thread_index(); i < bytes;
         i += 16 * proact_thread_count()) {
        const struct proact_u32x4 v = proact_load_vector(from + i);

        proact_store_vector(to + i, &v);
        peer = first;
#pragma unroll 1
        for (proact_u32 n = 0; n < peers; n++) {
            proact_store_vector(to + i + slot->peer_offset[peer], &v);
            peer = peer + 1 == peers ? 0 : peer + 1;
        }
    }
}

#if PROACT_HAS_BULK_COPY
PROACT_DEVICE_INLINE void proact_issue_bulk(unsigned char *to, const unsigned char *from,
                                            proact_u32 bytes)
{
    asm volatile(
        "{ .reg .u64 to, from; .reg .u32 near;\n"
        "cvta.to.global.u64 to, %0; cvta.to.shared.u64 from, %1;\n"
        "cvt.u32.u64 near, from;\n"
        "cp.async.bulk.global.shared::cta.bulk_group [to], [near], %2; }" ::"l"(to),
        "l"(from), "r"(bytes)
        : "memory");
}

/* By one thread: to the same bytes on each peer, number `peer` first. */
PROACT_DEVICE_INLINE void proact_send_bulk(const struct proact_slot *slot,
                                           unsigned char *to, const unsigned char *from,
                                           proact_u32 bytes, proact_u32 peers,
                                           proact_u32 peer)
{
#pragma unroll 1
    for (proact_u32 n = 0; n < peers; n++) {
        proact_issue_bulk(to + slot->peer_offset[peer], from, bytes);
        peer = peer + 1 == peers ? 0 : peer + 1;
    }
}

/* What the thread has issued has been read: the CTA may end, or stage anew behind its next
   barrier. */
PROACT_DEVICE_INLINE void proact_bulk_source_read(void)
{
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    /* protocol: bulk-read */
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}
#endif

/* All threads of the CTA have staged; the leader may issue. */
PROACT_DEVICE_INLINE void proact_bulk_stage_ready(void)
{
#if PROACT_HAS_BULK_COPY
    /* protocol: bulk-order */
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
    /* protocol: bulk-stage */
    proact_cta_sync();
}

/* By all threads of the CTA, which have staged `bytes` at `from` in shared memory: stores
   them to `to`, in the array of this slot, here and where the mechanism wants it on every
   peer. It begins with a barrier. Behind the next one (proact_cta_sync()) the stage may be
   written anew; what was stored is there when the kernel has ended, and for who counts,
   when proact_done() does. Fastest where `to` and `from` are multiples of 16. */
PROACT_DEVICE_INLINE void proact_store_bulk(const struct proact_partition *partition,
                                            proact_u32 slot, void *to, const void *from,
                                            proact_u32 bytes)
{
    const struct proact_slot *s = &partition->slot[slot];
    const proact_u32 peers =
        partition->mode & PROACT_MODE_STORE ? partition->peer_count : 0;
    const proact_u32 peer = peers ? proact_cta(partition) % peers : 0;
    const unsigned char *source = (const unsigned char *)from;
    unsigned char *target = (unsigned char *)to;
    proact_u32 apart = (proact_u32)(proact_u64)target ^ (proact_u32)(proact_u64)source;
    proact_u32 unit = apart & 15 ? apart & 3 ? 1 : 4 : 16;
    proact_u32 head = -(proact_u32)(proact_u64)target & (unit - 1);

    if (head > bytes)
        head = bytes;
    proact_u32 body = (bytes - head) & -unit, tail = bytes - head - body;

    proact_bulk_stage_ready();
#if PROACT_HAS_BULK_COPY
    if (unit == 16 && body && proact_thread_index() == 0) {
        proact_issue_bulk(target + head, source + head, body);
        proact_send_bulk(s, target + head, source + head, body, peers, peer);
        proact_bulk_source_read();
    }
#else
    if (unit == 16)
        proact_store_vectors(s, target + head, source + head, body, peers, peer);
#endif
    if (unit == 4)
        proact_store_elements(s, (proact_u32 *)(target + head),
                              (const proact_u32 *)(source + head), body / 4, peers, peer);
    if (unit == 1)
        proact_store_elements(s, target, source, body, peers, peer);
    proact_store_elements(s, target, source, head, peers, peer);
    proact_store_elements(s, target + head + body, source + head + body, tail, peers, peer);
}
