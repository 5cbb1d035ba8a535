/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The device code behind <proact/device.h>, which includes it: read that one first.
   docs/protocol.md tells how the words fit together. A fence, barrier, counter step or wait
   that the protocol cannot do without carries a name, `protocol: NAME`; a test takes each
   out and sees that the checker notices. */

#define PROACT_WORD static __device__ inline __attribute__((always_inline))

#define PROACT_SPECIAL(name, spelling)                                                     \
    PROACT_WORD proact_u32 name(void)                                                      \
    {                                                                                      \
        proact_u32 v;                                                                      \
        asm("mov.u32 %0, %" spelling ";" : "=r"(v));                                       \
        return v;                                                                          \
    }
PROACT_SPECIAL(proact_thread_x, "%tid.x")
PROACT_SPECIAL(proact_thread_y, "%tid.y")
PROACT_SPECIAL(proact_thread_z, "%tid.z")
PROACT_SPECIAL(proact_cta_size_x, "%ntid.x")
PROACT_SPECIAL(proact_cta_size_y, "%ntid.y")
PROACT_SPECIAL(proact_cta_size_z, "%ntid.z")
PROACT_SPECIAL(proact_cta_here, "%ctaid.x") /* of this device: its part is a 1-D grid */
#undef PROACT_SPECIAL

/* Linear number of the CTA in the whole grid, its place, and the grid. */
PROACT_WORD proact_u32 proact_cta(const struct proact_share *share)
{
    return share->cta_first + proact_cta_here();
}

PROACT_WORD proact_u32 proact_cta_x(const struct proact_share *share)
{
    return proact_cta(share) % share->grid[0];
}

PROACT_WORD proact_u32 proact_cta_y(const struct proact_share *share)
{
    return proact_cta(share) / share->grid[0] % share->grid[1];
}

PROACT_WORD proact_u32 proact_cta_z(const struct proact_share *share)
{
    return proact_cta(share) / share->grid[0] / share->grid[1];
}

PROACT_WORD proact_u32 proact_grid_x(const struct proact_share *share)
{
    return share->grid[0];
}

PROACT_WORD proact_u32 proact_grid_y(const struct proact_share *share)
{
    return share->grid[1];
}

PROACT_WORD proact_u32 proact_grid_z(const struct proact_share *share)
{
    return share->grid[2];
}

/* All threads of the CTA meet; what each did before, all see after. */
PROACT_WORD void proact_cta_sync(void)
{
    asm volatile("bar.sync 0;" ::: "memory");
}

PROACT_WORD void proact_fence_gpu(void)
{
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
}

PROACT_WORD proact_u32 proact_decrement(proact_u32 *counter) /* gives what it was */
{
    proact_u32 old;

    asm volatile("atom.relaxed.gpu.add.u32 %0, [%1], -1;"
                 : "=r"(old)
                 : "l"(counter)
                 : "memory");
    return old;
}

PROACT_WORD void proact_store_relaxed(proact_u32 *where, proact_u32 value)
{
    asm volatile("st.relaxed.gpu.u32 [%0], %1;" ::"l"(where), "r"(value) : "memory");
}

/* Number of this thread in its CTA, and of threads. */
PROACT_WORD proact_u32 proact_thread(void)
{
    return (proact_thread_z() * proact_cta_size_y() + proact_thread_y()) *
               proact_cta_size_x() +
           proact_thread_x();
}

PROACT_WORD proact_u32 proact_threads(void)
{
    return proact_cta_size_x() * proact_cta_size_y() * proact_cta_size_z();
}

/* Stores into the array of this slot: here, and where the mechanism wants it on every peer
   at once. CTAs begin with different peers, so that they do not all hit one. */
template <class T, class V>
PROACT_WORD void proact_store(const struct proact_share *share, proact_u32 slot, T *where,
                              V value)
{
    const T v = (T)value;

    *where = v;
    if (!(share->mode & PROACT_SHARE_STORE))
        return;
    proact_u32 count = share->peer_count, peer = proact_cta(share) % count;

#pragma unroll 1
    for (proact_u32 i = 0; i < count; i++) {
        *(T *)((unsigned char *)where + share->slot[slot].delta[peer]) = v;
        peer = peer + 1 == count ? 0 : peer + 1;
    }
}

/* A byte, or an aligned 16, from here to all peers; number `peer` of `count` comes first.
   Spelled as assembly because clang takes the four words through local memory. */
PROACT_WORD void proact_send_byte(const unsigned char *from, const long long *delta,
                                  proact_u32 count, proact_u32 peer)
{
    const unsigned char value = *from;

#pragma unroll 1
    for (proact_u32 i = 0; i < count; i++) {
        *(unsigned char *)(from + delta[peer]) = value;
        peer = peer + 1 == count ? 0 : peer + 1;
    }
}

PROACT_WORD void proact_send_vector(const unsigned char *from, const long long *delta,
                                    proact_u32 count, proact_u32 peer)
{
    proact_u32 a, b, c, d;

    asm volatile("ld.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                 : "l"(from)
                 : "memory");
#pragma unroll 1
    for (proact_u32 i = 0; i < count; i++) {
        asm volatile("st.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(from + delta[peer]), "r"(a),
                     "r"(b), "r"(c), "r"(d)
                     : "memory");
        peer = peer + 1 == count ? 0 : peer + 1;
    }
}

/* The whole CTA sends this device's bytes of a chunk to all peers: whole packets by 16-byte
   stores of neighbouring threads, what lies before and behind them by bytes. Replicas are
   aligned alike on all devices. Not unrolled: the registers are the kernel's. */
PROACT_WORD void proact_send_chunk(const struct proact_slot *slot, proact_u32 chunk,
                                   proact_u32 peer_count, proact_u32 turn)
{
    proact_u32 thread = proact_thread(), threads = proact_threads();
    proact_u32 peer = peer_count ? turn % peer_count : 0;
    proact_u32 end = peer_count ? slot->piece_first[chunk + 1] : 0;

#pragma unroll 1
    for (proact_u32 p = slot->piece_first[chunk]; p < end; p++) {
        const unsigned char *from = slot->base + slot->piece[p].first_byte;
        proact_u64 bytes = slot->piece[p].bytes, head = -(proact_u64)from & 15;

        if (head > bytes)
            head = bytes;
        proact_u64 body = (bytes - head) & ~15ull;

#pragma unroll 1
        for (proact_u64 i = thread; i < head; i += threads)
            proact_send_byte(from + i, slot->delta, peer_count, peer);
#pragma unroll 1
        for (proact_u64 i = head + 16ull * thread; i < head + body; i += 16ull * threads)
            proact_send_vector(from + i, slot->delta, peer_count, peer);
#pragma unroll 1
        for (proact_u64 i = head + body + thread; i < bytes; i += threads)
            proact_send_byte(from + i, slot->delta, peer_count, peer);
    }
}

/* The leader counts this CTA off in up to 32 rows from `row` on, and answers with a bit for
   each chunk of which it was the last writer. Such a counter starts anew for the next
   launch: all others have counted, and the next launch comes after this one. */
PROACT_WORD proact_u32 proact_count_rows(const struct proact_slot *slot, proact_u32 row,
                                         proact_u32 end)
{
    proact_u32 complete = 0;

#pragma unroll 1
    for (proact_u32 i = 0; i < 32 && row + i < end; i++) {
        proact_u32 chunk = slot->chunk[row + i];

        /* protocol: count-down (else: proact_u32 left = slot->counter[chunk];) */
        proact_u32 left = proact_decrement(&slot->counter[chunk]);

        if (left == 1) {
            complete |= 1u << i;
            /* protocol: counter-reset */
            slot->counter[chunk] = slot->writers[chunk];
        }
    }
    /* After the counters and before flags or copies: what the other writers of these chunks
       released by their fence (done-fence) is now seen here, and handed on. */
    if (complete)
        /* protocol: last-fence */
        proact_fence_gpu();
    return complete;
}

/* Tells the agent, whose acquire (agent-acquire) pairs with the fence just before. */
PROACT_WORD void proact_announce(const struct proact_share *share)
{
#pragma unroll 1
    for (proact_u32 s = 0; s < share->slot_count; s++) {
        const struct proact_slot *slot = &share->slot[s];
        proact_u32 row = slot->first[proact_cta_here()];
        proact_u32 end = slot->first[proact_cta_here() + 1];

#pragma unroll 1
        for (; row < end; row += 32) {
            proact_u32 complete = proact_count_rows(slot, row, end);

#pragma unroll 1
            for (proact_u32 r = row; complete; r++, complete >>= 1)
                if (complete & 1)
                    /* protocol: announce */
                    proact_store_relaxed(&slot->ready[slot->chunk[r]], share->epoch);
        }
    }
}

/* The CTA that was the last to write a chunk sends it. */
PROACT_WORD void proact_send_complete(const struct proact_share *share, bool leads)
{
    __shared__ proact_u32
        verdict[2]; /* in turns, so that one barrier a verdict is enough */
    proact_u32 turn = 0;

#pragma unroll 1
    for (proact_u32 s = 0; s < share->slot_count; s++) {
        const struct proact_slot *slot = &share->slot[s];
        proact_u32 row = slot->first[proact_cta_here()];
        proact_u32 end = slot->first[proact_cta_here() + 1];

#pragma unroll 1
        for (; row < end; row += 32, turn ^= 1) {
            if (leads)
                verdict[turn] = proact_count_rows(slot, row, end);
            /* What the leader's fence (last-fence) let it see, every thread sees now. */
            /* protocol: verdict-barrier */
            proact_cta_sync();
            proact_u32 complete = verdict[turn];

#pragma unroll 1
            for (proact_u32 r = row; complete; r++, complete >>= 1)
                if (complete & 1)
                    proact_send_chunk(slot, slot->chunk[r], share->peer_count,
                                      proact_cta(share));
        }
    }
}

/* The last words of the kernel, of every thread of every CTA. */
PROACT_WORD void proact_done(const struct proact_share *share)
{
    if (!(share->mode & PROACT_SHARE_COUNT))
        return;
    bool leads = proact_thread() == 0;

    /* All stores of the CTA come before its leader's fence. */
    /* protocol: done-barrier */
    proact_cta_sync();
    /* Pairs with the fence of whoever takes a counter to zero (last-fence). */
    if (leads)
        /* protocol: done-fence */
        proact_fence_gpu();
    if (share->mode & PROACT_SHARE_SEND)
        proact_send_complete(share, leads);
    else if (leads)
        proact_announce(share);
}
