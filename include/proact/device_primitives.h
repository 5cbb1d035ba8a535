/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The device code behind <proact/device.h>, which includes it: read that one first.
   docs/protocol.md tells how the words fit together. A fence, barrier, counter step or wait
   that the protocol cannot do without carries a name, `protocol: NAME`; a test takes each
   out and sees that the checker notices. */

#define PROACT_DEVICE_INLINE static __device__ inline __attribute__((always_inline))

/* Registers of the machine. A compiler reads what it needs in a loop ahead of it and keeps
   it; `asm volatile`, where that is said before, is read where it is used, and again. */
#ifndef PROACT_SREG_ASM
#define PROACT_SREG_ASM asm
#endif

#define PROACT_SREG(name, spelling)                                                        \
    PROACT_DEVICE_INLINE proact_u32 name(void)                                             \
    {                                                                                      \
        proact_u32 v;                                                                      \
        PROACT_SREG_ASM("mov.u32 %0, %" spelling ";" : "=r"(v));                           \
        return v;                                                                          \
    }
PROACT_SREG(proact_thread_x, "%tid.x")
PROACT_SREG(proact_thread_y, "%tid.y")
PROACT_SREG(proact_thread_z, "%tid.z")
PROACT_SREG(proact_cta_size_x, "%ntid.x")
PROACT_SREG(proact_cta_size_y, "%ntid.y")
PROACT_SREG(proact_cta_size_z, "%ntid.z")
PROACT_SREG(proact_local_cta, "%ctaid.x") /* of this device: its part is a 1-D grid */
#undef PROACT_SREG

/* Linear number of the CTA in the whole grid, its place, for which the device divides, and
   the grid. */
PROACT_DEVICE_INLINE proact_u32 proact_cta(const struct proact_partition *partition)
{
    return partition->cta_first + proact_local_cta();
}

PROACT_DEVICE_INLINE proact_u32 proact_cta_x(const struct proact_partition *partition)
{
    return proact_cta(partition) % partition->grid[0];
}

PROACT_DEVICE_INLINE proact_u32 proact_cta_y(const struct proact_partition *partition)
{
    return proact_cta(partition) / partition->grid[0] % partition->grid[1];
}

PROACT_DEVICE_INLINE proact_u32 proact_cta_z(const struct proact_partition *partition)
{
    return proact_cta(partition) / partition->grid[0] / partition->grid[1];
}

PROACT_DEVICE_INLINE proact_u32 proact_grid_x(const struct proact_partition *partition)
{
    return partition->grid[0];
}

PROACT_DEVICE_INLINE proact_u32 proact_grid_y(const struct proact_partition *partition)
{
    return partition->grid[1];
}

PROACT_DEVICE_INLINE proact_u32 proact_grid_z(const struct proact_partition *partition)
{
    return partition->grid[2];
}

/* All threads of the CTA meet; what each did before, all see after. */
PROACT_DEVICE_INLINE void proact_cta_sync(void)
{
    asm volatile("bar.sync 0;" ::: "memory");
}

/* The same; true for all if it is true for one. */
PROACT_DEVICE_INLINE bool proact_cta_any(bool here)
{
    proact_u32 any;

    asm volatile("{\n\t.reg .pred here, any;\n\tsetp.ne.u32 here, %1, 0;\n\t"
                 "bar.red.or.pred any, 0, here;\n\tselp.u32 %0, 1, 0, any;\n\t}"
                 : "=r"(any)
                 : "r"((proact_u32)here)
                 : "memory");
    return any != 0;
}

PROACT_DEVICE_INLINE void proact_fence_gpu(void)
{
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
}

/* Whether shared memory is sent in bulk, by the TMA of sm_90 and later (device_bulk.h). */
#ifndef PROACT_HAS_BULK_COPY
#define PROACT_HAS_BULK_COPY (__CUDA_ARCH__ >= 900)
#endif

/* What this thread has sent in bulk is where it goes, and this thread knows: its next fence
   releases it. Nothing else does: bulk stores are no accesses of the thread that issues
   them, and no fence or barrier waits for them. */
PROACT_DEVICE_INLINE void proact_bulk_wait(void)
{
#if PROACT_HAS_BULK_COPY
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
#endif
}

PROACT_DEVICE_INLINE proact_u32
proact_counter_add(proact_u32 *counter) /* gives what it was */
{
    proact_u32 old;

    asm volatile("atom.relaxed.gpu.add.u32 %0, [%1], 1;"
                 : "=r"(old)
                 : "l"(counter)
                 : "memory");
    return old;
}

PROACT_DEVICE_INLINE void proact_counter_add_noreturn(
    proact_u32 *counter) /* nobody waits for what it was */
{
    asm volatile("red.relaxed.gpu.add.u32 [%0], 1;" ::"l"(counter) : "memory");
}

/* The same, released: as a fence before it would do, which also empties the first-level
   cache that other CTAs read through. Counted by `inc`, because ptxas lets lanes that add
   the same add together first, and asks which they are: the leader is alone. */
PROACT_DEVICE_INLINE proact_u32 proact_counter_add_release(proact_u32 *counter)
{
    proact_u32 old;

    asm volatile("atom.release.gpu.inc.u32 %0, [%1], 0xffffffff;"
                 : "=r"(old)
                 : "l"(counter)
                 : "memory");
    return old;
}

PROACT_DEVICE_INLINE void proact_counter_add_release_noreturn(proact_u32 *counter)
{
    asm volatile("red.release.gpu.add.u32 [%0], 1;" ::"l"(counter) : "memory");
}

/* Number of this thread in its CTA, and of threads. */
PROACT_DEVICE_INLINE proact_u32 proact_thread_index(void)
{
    return (proact_thread_z() * proact_cta_size_y() + proact_thread_y()) *
               proact_cta_size_x() +
           proact_thread_x();
}

PROACT_DEVICE_INLINE bool proact_is_leader(void) /* it is the first one */
{
    return (proact_thread_x() | proact_thread_y() | proact_thread_z()) == 0;
}

PROACT_DEVICE_INLINE proact_u32 proact_thread_count(void)
{
    return proact_cta_size_x() * proact_cta_size_y() * proact_cta_size_z();
}

/* Stores into the array of this slot: here, and where the mechanism wants it on every peer
   at once. CTAs begin with different peers, so that they do not all hit one. */
template <class T, class V>
PROACT_DEVICE_INLINE void proact_store(const struct proact_partition *partition,
                                       proact_u32 slot, T *where, V value)
{
    const T v = (T)value;

    *where = v;
    if (!(partition->mode & PROACT_MODE_STORE))
        return;
    proact_u32 count = partition->peer_count, peer = proact_cta(partition) % count;

#pragma unroll 1
    for (proact_u32 i = 0; i < count; i++) {
        *(T *)((unsigned char *)where + partition->slot[slot].peer_offset[peer]) = v;
        peer = peer + 1 == count ? 0 : peer + 1;
    }
}

/* A byte, or an aligned 16, from here to all peers; number `peer` of `count` comes first.
   Spelled as assembly because clang takes the four words through local memory. */
PROACT_DEVICE_INLINE void proact_send_byte(const unsigned char *from,
                                           const long long *delta, proact_u32 count,
                                           proact_u32 peer)
{
    const unsigned char value = *from;

#pragma unroll 1
    for (proact_u32 i = 0; i < count; i++) {
        *(unsigned char *)(from + delta[peer]) = value;
        peer = peer + 1 == count ? 0 : peer + 1;
    }
}

struct proact_u32x4 {
    proact_u32 word[4];
};

PROACT_DEVICE_INLINE struct proact_u32x4 proact_load_vector(const unsigned char *from)
{
    struct proact_u32x4 v;

    asm volatile("ld.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.word[0]), "=r"(v.word[1]), "=r"(v.word[2]), "=r"(v.word[3])
                 : "l"(from)
                 : "memory");
    return v;
}

PROACT_DEVICE_INLINE void proact_store_vector(unsigned char *to,
                                              const struct proact_u32x4 *v)
{
    asm volatile("st.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(to), "r"(v->word[0]),
                 "r"(v->word[1]), "r"(v->word[2]), "r"(v->word[3])
                 : "memory");
}

/* Vectors of 16 bytes, UNROLL of them on their way from each thread; neighbouring threads
   make a packet. */
template <int UNROLL>
PROACT_DEVICE_INLINE void proact_send_vectors(const long long *delta,
                                              const unsigned char *from, proact_u32 bytes,
                                              proact_u32 peer_count, proact_u32 peer)
{
    const proact_u32 step = 16 * proact_thread_count();
    struct proact_u32x4 v[UNROLL];

#pragma unroll 1
    for (proact_u32 at = 16 * proact_thread_index(); at < bytes; at += UNROLL * step) {
#pragma unroll
        for (int k = 0; k < UNROLL; k++)
            if (at + k * step < bytes)
                v[k] = proact_load_vector(from + at + k * step);
#pragma unroll 1
        for (proact_u32 i = 0; i < peer_count; i++) {
            unsigned char *to = (unsigned char *)from + delta[peer] + at;

#pragma unroll
            for (int k = 0; k < UNROLL; k++)
                if (at + k * step < bytes)
                    proact_store_vector(to + k * step, &v[k]);
            peer = peer + 1 == peer_count ? 0 : peer + 1;
        }
    }
}

/* The whole CTA sends a piece to so many peers: whole packets by vectors, what lies before
   and behind them by bytes. Replicas are aligned alike on all devices. */
template <int UNROLL>
PROACT_DEVICE_INLINE void proact_send_piece(const long long *delta,
                                            const unsigned char *from, proact_u32 bytes,
                                            proact_u32 peer_count, proact_u32 turn)
{
    proact_u32 threads = proact_thread_count(), peer = peer_count ? turn % peer_count : 0;
    proact_u32 head = -(proact_u32)(proact_u64)from & 15;

    if (head > bytes)
        head = bytes;
    proact_u32 body = (bytes - head) & ~15u;

    proact_send_vectors<UNROLL>(delta, from + head, body, peer_count, peer);
#pragma unroll 1
    for (proact_u32 i = proact_thread_index(); i < bytes - body; i += threads)
        proact_send_byte(from + (i < head ? i : i + body), delta, peer_count, peer);
}

/* Pieces that are sent at once, of `left` from one of so many bytes on: that one by all
   threads, or each by a thread, which takes as long as its bytes one after the other. What
   a piece takes is mostly the way to it and back, of which there are then as many at once.
 */
PROACT_DEVICE_INLINE proact_u32 proact_piece_batch(proact_u32 bytes, proact_u32 left)
{
    return bytes <= PROACT_SMALL_PIECE_BYTES && left > bytes ? left : 1;
}

/* Byte by byte: all that is done here costs the kernel registers (instrument.registers). */
PROACT_DEVICE_INLINE void proact_send_small_pieces(const struct proact_slot *slot,
                                                   proact_u32 piece, proact_u32 count)
{
#pragma unroll 1
    for (proact_u32 n = proact_thread_index(); n < count; n += proact_thread_count()) {
        const struct proact_piece *p = &slot->piece[piece + n];
        const unsigned char *from = slot->base + p->first_byte;

#pragma unroll 1
        for (proact_u32 k = p->bytes; k--;)
#pragma unroll 1
            for (proact_u32 i = p->peer_count; i--;)
                *(unsigned char *)(from + k + slot->peer_offset[p->first_peer + i]) =
                    from[k];
    }
}
