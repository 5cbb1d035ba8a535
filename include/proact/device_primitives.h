/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Device primitives: part of <proact/device.h>, which includes this file.
   docs/internals/protocol.md explains the protocol that they implement. A comment of the
   form `protocol: NAME` marks a fence, barrier, counter step or wait that the protocol
   requires; tests/protocol/mutate.sh removes each and checks that a test fails. Scopes are
   those of the PTX memory model. */

/* ---- Special registers ---- */

#define PROACT_DEVICE_INLINE static __device__ inline __attribute__((always_inline))

/* Keyword of the assembly that reads a special register. With `asm` the compiler reads the
   register once, before a loop that needs it, and keeps the value. With `asm volatile`, if
   defined before this file, it reads the register at each use, which saves registers. */
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
PROACT_SREG(proact_local_cta, "%ctaid.x") /* a partition is a 1-D grid */
#undef PROACT_SREG

/* ---- Position in the whole grid ---- */

/* Number of the CTA in the whole grid, x first, then y, then z. proact_cta_x(), _y() and
   _z() return its coordinates and cost a division or two; proact_grid_x(), _y() and _z()
   return the size of the whole grid. */
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

/* ---- Barriers, fences and counters ---- */

/* Barrier of all threads of the CTA. Accesses of a thread before it happen before accesses
   of all threads after it. */
PROACT_DEVICE_INLINE void proact_cta_sync(void)
{
    asm volatile("bar.sync 0;" ::: "memory");
}

/* The same barrier with a reduction: true for all if `condition` is true for one thread. */
PROACT_DEVICE_INLINE bool proact_cta_any(bool condition)
{
    proact_u32 any;

    asm volatile("{\n\t.reg .pred own, any;\n\tsetp.ne.u32 own, %1, 0;\n\t"
                 "bar.red.or.pred any, 0, own;\n\tselp.u32 %0, 1, 0, any;\n\t}"
                 : "=r"(any)
                 : "r"((proact_u32)condition)
                 : "memory");
    return any != 0;
}

/* Fence of acquire and release semantics among all threads of the device. */
PROACT_DEVICE_INLINE void proact_fence_gpu(void)
{
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
}

/* Whether the target has bulk copies from shared memory: the TMA of sm_90 and later
   (device_bulk.h). */
#ifndef PROACT_HAS_BULK_COPY
#define PROACT_HAS_BULK_COPY (__CUDA_ARCH__ >= 900)
#endif

/* Waits until the bulk copies that this thread issued are performed and visible to it. Its
   next fence or release then publishes them. Fences and barriers alone do not order bulk
   copies, because the thread does not perform them. */
PROACT_DEVICE_INLINE void proact_bulk_wait(void)
{
#if PROACT_HAS_BULK_COPY
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
#endif
}

/* Adds 1 to a counter, without ordering, and returns the previous value. */
PROACT_DEVICE_INLINE proact_u32 proact_counter_add(proact_u32 *counter)
{
    proact_u32 old;

    asm volatile("atom.relaxed.gpu.add.u32 %0, [%1], 1;"
                 : "=r"(old)
                 : "l"(counter)
                 : "memory");
    return old;
}

/* Adds 1 to a counter, without ordering. The thread does not wait for the result. */
PROACT_DEVICE_INLINE void proact_counter_add_noreturn(proact_u32 *counter)
{
    asm volatile("red.relaxed.gpu.add.u32 [%0], 1;" ::"l"(counter) : "memory");
}

/* The same two with release semantics, as after a fence. A fence would also invalidate the
   L1 cache that other CTAs of the SM use. The first uses `inc`: for `add` ptxas first
   combines the lanes of a warp, but only the leader is active here. */
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

/* ---- Threads of a CTA ---- */

/* Number of the thread in its CTA: x first, then y, then z. */
PROACT_DEVICE_INLINE proact_u32 proact_thread_index(void)
{
    return (proact_thread_z() * proact_cta_size_y() + proact_thread_y()) *
               proact_cta_size_x() +
           proact_thread_x();
}

/* Whether the thread is the leader of its CTA, thread 0. */
PROACT_DEVICE_INLINE bool proact_is_leader(void)
{
    return (proact_thread_x() | proact_thread_y() | proact_thread_z()) == 0;
}

PROACT_DEVICE_INLINE proact_u32 proact_thread_count(void)
{
    return proact_cta_size_x() * proact_cta_size_y() * proact_cta_size_z();
}

/* ---- Stores and sends ---- */

/* Index of the highest bit that is set. */
PROACT_DEVICE_INLINE proact_u32 proact_highest_bit(proact_u32 bits)
{
    proact_u32 n;

    asm("bfind.u32 %0, %1;" : "=r"(n) : "r"(bits));
    return n;
}

/* Index of the lowest bit that is set. */
PROACT_DEVICE_INLINE proact_u32 proact_lowest_bit(proact_u32 bits)
{
    return proact_highest_bit(bits & -bits);
}

/* Peers that a store of this CTA goes to, by CTA: if the slot has no regions. */
PROACT_DEVICE_INLINE proact_u32 proact_peers_of_cta(
    const struct proact_partition *partition, const struct proact_slot *slot)
{
    const proact_u32 *peers = slot->stores.peers;

    return peers ? peers[proact_local_cta()] : (1u << partition->peer_count) - 1;
}

/* Peers that need a store to the address, or more, as bits by index of peer_offset. The CTA
   is not one of the unsent ones. REST: bytes after the first that may be in another line.
 */
template <proact_u32 REST>
PROACT_DEVICE_INLINE proact_u32 proact_peers_of(const struct proact_partition *partition,
                                                const struct proact_slot *slot,
                                                const void *address)
{
    const proact_u32 regions = slot->stores.region_count;

    if (!regions)
        return proact_peers_of_cta(partition, slot);
    const proact_u64 at = (proact_u64)((const unsigned char *)address - slot->base);
    const proact_u32 line = (proact_u32)(at / PROACT_LINE_BYTES),
                     last = REST ? (proact_u32)((at + REST) / PROACT_LINE_BYTES) : line;
    proact_u32 peers = 0;

#pragma unroll 1
    for (proact_u32 i = 0; i < regions; i++) {
        const struct proact_region *r = &slot->stores.region[i];

        if (line - r->first_line < r->lines ||
            (REST && r->first_line - line <= last - line))
            peers |= r->peers;
    }
    return peers;
}

/* Order of the receivers of a store: from the peer of index `first` down, then from the
   last one. CTAs start at different peers, so that they do not all use one link at once. */
struct proact_receivers {
    proact_u32 now, later; /* peers, as bits; `later` follows when `now` is empty */
};

PROACT_DEVICE_INLINE struct proact_receivers proact_receivers_from(proact_u32 peers,
                                                                   proact_u32 first)
{
    struct proact_receivers r;

    r.now = peers & ((2u << first) - 1);
    r.later = peers ^ r.now;
    return r;
}

/* Takes the next receiver; there is one. */
PROACT_DEVICE_INLINE proact_u32 proact_take_receiver(struct proact_receivers *r)
{
    if (!r->now) {
        r->now = r->later;
        r->later = 0;
    }
    const proact_u32 peer = proact_highest_bit(r->now);

    r->now ^= 1u << peer;
    return peer;
}

/* Whether this CTA stores to no peer: under other modes than inline, and in the interior of
   a stencil. Known without a load. */
PROACT_DEVICE_INLINE bool proact_stores_stay(const struct proact_partition *partition,
                                             const struct proact_slot *slot)
{
    return !(partition->mode & PROACT_MODE_STORE) ||
           proact_local_cta() - slot->stores.unsent_first < slot->stores.unsent_count;
}

/* Stores `value` to an element of the slot's array: to the replica of this device and,
   under inline (PROACT III-C), to the replica of each peer that needs it. */
template <class T, class V>
PROACT_DEVICE_INLINE void proact_store(const struct proact_partition *partition,
                                       proact_u32 slot, T *address, V value)
{
    const struct proact_slot *s = &partition->slot[slot];
    const T v = (T)value;

    *address = v;
    if (!(partition->mode & PROACT_MODE_STORE))
        return;
    if (proact_local_cta() - s->stores.unsent_first < s->stores.unsent_count)
        return;
    /* An element lies in one line if it is aligned to its size and no larger than a line.
     */
    constexpr proact_u32 rest =
        alignof(T) < sizeof(T) || sizeof(T) > PROACT_LINE_BYTES ? sizeof(T) - 1 : 0;
    const proact_u32 peers = proact_peers_of<rest>(partition, s, address);

    if (!peers)
        return;
    struct proact_receivers r =
        proact_receivers_from(peers, proact_cta(partition) % partition->peer_count);

#pragma unroll 1
    do
        *(T *)((unsigned char *)address + s->peer_offset[proact_take_receiver(&r)]) = v;
    while (r.now | r.later);
}

/* Sends one byte of this replica to `count` peers, index `peer` first. */
PROACT_DEVICE_INLINE void proact_send_byte(const unsigned char *from,
                                           const long long *peer_offset, proact_u32 count,
                                           proact_u32 peer)
{
    const unsigned char value = *from;

#pragma unroll 1
    for (proact_u32 i = 0; i < count; i++) {
        *(unsigned char *)(from + peer_offset[peer]) = value;
        peer = peer + 1 == count ? 0 : peer + 1;
    }
}

/* 16 aligned bytes, loaded and stored by one instruction. The assembly prevents clang from
   passing the four words through local memory. */
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

/* Sends `bytes` bytes, a multiple of 16, from an aligned address: all threads of the CTA,
   each with UNROLL vectors in flight. Vectors of adjacent threads form packets. */
template <int UNROLL>
PROACT_DEVICE_INLINE void proact_send_vectors(const long long *peer_offset,
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
            unsigned char *to = (unsigned char *)from + peer_offset[peer] + at;

#pragma unroll
            for (int k = 0; k < UNROLL; k++)
                if (at + k * step < bytes)
                    proact_store_vector(to + k * step, &v[k]);
            peer = peer + 1 == peer_count ? 0 : peer + 1;
        }
    }
}

/* Sends a piece to the first `peer_count` peers of `peer_offset`, by all threads of the
   CTA. Aligned vectors carry the body; single bytes carry the unaligned head and tail.
   Replicas have equal alignment on all devices. `rotation` selects the first peer. */
template <int UNROLL>
PROACT_DEVICE_INLINE void proact_send_piece(const long long *peer_offset,
                                            const unsigned char *from, proact_u32 bytes,
                                            proact_u32 peer_count, proact_u32 rotation)
{
    proact_u32 threads = proact_thread_count(),
               peer = peer_count ? rotation % peer_count : 0;
    proact_u32 head = -(proact_u32)(proact_u64)from & 15;

    if (head > bytes)
        head = bytes;
    proact_u32 body = (bytes - head) & ~15u;

    proact_send_vectors<UNROLL>(peer_offset, from + head, body, peer_count, peer);
#pragma unroll 1
    for (proact_u32 i = proact_thread_index(); i < bytes - body; i += threads)
        proact_send_byte(from + (i < head ? i : i + body), peer_offset, peer_count, peer);
}

/* Number of pieces to send together, where `left` pieces of a chunk remain and the next one
   has `bytes` bytes. 1: all threads send that piece. More: each thread sends small pieces
   alone, byte by byte; there are enough of them that latencies overlap. */
PROACT_DEVICE_INLINE proact_u32 proact_piece_batch(proact_u32 bytes, proact_u32 left)
{
    return bytes <= PROACT_SMALL_PIECE_BYTES && left > bytes ? left : 1;
}

/* Sends small pieces, one per thread, byte by byte: every further register here would be a
   register of the user's kernel (test instrument.registers). */
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
