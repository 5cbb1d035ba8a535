/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Bulk stores: part of <proact/device.h>, which includes this file. A CTA sends a range
   that it has staged in shared memory.

   On sm_90 and later one thread passes the range to the TMA (cp.async.bulk), which reads
   shared memory and writes global memory asynchronously, through the async proxy. The PTX
   memory model orders these accesses with those of the threads as follows:

   - Stores to the staging buffer precede the reads of the TMA: each thread executes
     fence.proxy.async (bulk-order) before a barrier (bulk-stage), after which the leader
     issues the copy.
   - Writes of the TMA precede only cp.async.bulk.wait_group, without .read, of the issuing
     thread. They are then visible to that thread in the generic proxy, and its next release
     publishes them. The leader waits in proact_done() (bulk-landed) before its fence or
     count. Agents, copies and other CTAs therefore need no rule for bulk stores.
   - Under inline no CTA counts: the end of the kernel orders the stores to the peers. It
     does not preserve the shared memory of a CTA, so the leader waits until the TMA has
     read it (bulk-read).

   On older devices, and if `to` and `from` differ in their position within 16 bytes,
   threads load and store, 16 bytes each if possible. */

/* Receivers of a bulk store of `bytes` bytes. */
PROACT_DEVICE_INLINE struct proact_receivers proact_receivers_of(
    const struct proact_partition *partition, const struct proact_slot *slot,
    const void *to, proact_u32 bytes)
{
    const proact_u32 regions = slot->stores.region_count;

    if (proact_stores_stay(partition, slot) || !bytes)
        return {0, 0};
    const proact_u64 at = (proact_u64)((const unsigned char *)to - slot->base);
    const proact_u32 line = (proact_u32)(at / PROACT_LINE_BYTES),
                     end = (proact_u32)((at + bytes - 1) / PROACT_LINE_BYTES) + 1;

    proact_u32 peers = regions ? 0 : proact_peers_of_cta(partition, slot);

#pragma unroll 1
    for (proact_u32 i = 0; i < regions; i++) {
        const struct proact_region *region = &slot->stores.region[i];

        if (line < region->first_line + region->lines && region->first_line < end)
            peers |= region->peers;
    }
    return proact_receivers_from(peers, proact_cta(partition) % partition->peer_count);
}

/* Stores `count` elements to the replica of this device and to the same bytes on each
   receiver. Called by all threads of the CTA. */
template <class T>
PROACT_DEVICE_INLINE void proact_store_elements(const struct proact_slot *slot, T *to,
                                                const T *from, proact_u32 count,
                                                struct proact_receivers r)
{
#pragma unroll 1
    for (proact_u32 i = proact_thread_index(); i < count; i += proact_thread_count()) {
        const T v = from[i];

        to[i] = v;
#pragma unroll 1
        for (struct proact_receivers left = r; left.now | left.later;) {
            const proact_u32 peer = proact_take_receiver(&left);

            *(T *)((unsigned char *)(to + i) + slot->peer_offset[peer]) = v;
        }
    }
}

/* The same for `bytes` bytes, a multiple of 16, at aligned addresses. */
PROACT_DEVICE_INLINE void proact_store_vectors(const struct proact_slot *slot,
                                               unsigned char *to, const unsigned char *from,
                                               proact_u32 bytes, struct proact_receivers r)
{
#pragma unroll 1
    for (proact_u32 i = 16 * proact_thread_index(); i < bytes;
         i += 16 * proact_thread_count()) {
        const struct proact_u32x4 v = proact_load_vector(from + i);

        proact_store_vector(to + i, &v);
#pragma unroll 1
        for (struct proact_receivers left = r; left.now | left.later;) {
            const proact_u32 peer = proact_take_receiver(&left);

            proact_store_vector(to + i + slot->peer_offset[peer], &v);
        }
    }
}

#if PROACT_HAS_BULK_COPY
/* Issues one bulk copy from shared to global memory: aligned, a multiple of 16 bytes. */
PROACT_DEVICE_INLINE void proact_issue_bulk(unsigned char *to, const unsigned char *from,
                                            proact_u32 bytes)
{
    asm volatile(
        "{ .reg .u64 to, from; .reg .u32 source;\n"
        "cvta.to.global.u64 to, %0; cvta.to.shared.u64 from, %1;\n"
        "cvt.u32.u64 source, from;\n"
        "cp.async.bulk.global.shared::cta.bulk_group [to], [source], %2; }" ::"l"(to),
        "l"(from), "r"(bytes)
        : "memory");
}

/* Issues bulk copies to the same bytes on each receiver. Called by one thread. */
PROACT_DEVICE_INLINE void proact_send_bulk(const struct proact_slot *slot,
                                           unsigned char *to, const unsigned char *from,
                                           proact_u32 bytes, struct proact_receivers r)
{
#pragma unroll 1
    for (struct proact_receivers left = r; left.now | left.later;) {
        const proact_u32 peer = proact_take_receiver(&left);

        proact_issue_bulk(to + slot->peer_offset[peer], from, bytes);
    }
}

/* Waits until the TMA has read what this thread issued. The CTA may then end, or reuse the
   staging buffer after its next barrier. */
PROACT_DEVICE_INLINE void proact_bulk_source_read(void)
{
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    /* Completion of the reads of the TMA. It pairs with the next barrier of the kernel, or
       with the end of the CTA. */
    /* protocol: bulk-read */
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}
#endif

/* Makes the staging buffer readable for the TMA. Called by all threads of the CTA after
   their stores; afterwards the leader may issue bulk copies. */
PROACT_DEVICE_INLINE void proact_bulk_stage_ready(void)
{
#if PROACT_HAS_BULK_COPY
    /* Proxy fence of each thread. It pairs with the leader's bulk copies, by way of
       bulk-stage. */
    /* protocol: bulk-order */
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
    /* Stores of all threads to the staging buffer happen before the leader's bulk copies,
       or the loads of other threads. */
    /* protocol: bulk-stage */
    proact_cta_sync();
}

/* Stores `bytes` bytes from `from` in shared memory to `to` in the slot's array: on this
   device and, under inline (PROACT III-C), on each peer that needs stores of the CTA. All
   threads of the CTA call it, after their stores to the staging buffer; it starts with a
   barrier. The buffer may be reused after the next proact_cta_sync(). The stores are
   complete at the end of the kernel; proact_done() includes them in the count. Multiples of
   16 bytes are fastest. */
PROACT_DEVICE_INLINE void proact_store_bulk(const struct proact_partition *partition,
                                            proact_u32 slot, void *to, const void *from,
                                            proact_u32 bytes)
{
    const struct proact_slot *s = &partition->slot[slot];
    const struct proact_receivers r = proact_receivers_of(partition, s, to, bytes);
    const unsigned char *source = (const unsigned char *)from;
    unsigned char *target = (unsigned char *)to;
    proact_u32 difference = (proact_u32)(proact_u64)target ^ (proact_u32)(proact_u64)source;
    proact_u32 unit = difference & 15 ? difference & 3 ? 1 : 4 : 16;
    proact_u32 head = -(proact_u32)(proact_u64)target & (unit - 1);

    if (head > bytes)
        head = bytes;
    proact_u32 body = (bytes - head) & -unit, tail = bytes - head - body;

    proact_bulk_stage_ready();
#if PROACT_HAS_BULK_COPY
    if (unit == 16 && body && proact_thread_index() == 0) {
        proact_issue_bulk(target + head, source + head, body);
        proact_send_bulk(s, target + head, source + head, body, r);
        proact_bulk_source_read();
    }
#else
    if (unit == 16)
        proact_store_vectors(s, target + head, source + head, body, r);
#endif
    if (unit == 4)
        proact_store_elements(s, (proact_u32 *)(target + head),
                              (const proact_u32 *)(source + head), body / 4, r);
    if (unit == 1)
        proact_store_elements(s, target, source, body, r);
    proact_store_elements(s, target, source, head, r);
    proact_store_elements(s, target + head + body, source + head + body, tail, r);
}
