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

/* Whether shared memory is sent in bulk, by the TMA of sm_90 and later (device_bulk.h). */
#ifndef PROACT_SENDS_BULK
#define PROACT_SENDS_BULK (__CUDA_ARCH__ >= 900)
#endif

/* What this thread has sent in bulk is where it goes, and this thread knows: its next fence
   releases it. Nothing else does: bulk stores are no accesses of the thread that issues
   them, and no fence or barrier waits for them. */
PROACT_WORD void proact_bulk_wait(void)
{
#if PROACT_SENDS_BULK
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
#endif
}

PROACT_WORD proact_u32 proact_count(proact_u32 *counter) /* gives what it was */
{
    proact_u32 old;

    asm volatile("atom.relaxed.gpu.add.u32 %0, [%1], 1;"
                 : "=r"(old)
                 : "l"(counter)
                 : "memory");
    return old;
}

PROACT_WORD void proact_count_unseen(proact_u32 *counter) /* nobody waits for what it was */
{
    asm volatile("red.relaxed.gpu.add.u32 [%0], 1;" ::"l"(counter) : "memory");
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

struct proact_vector {
    proact_u32 word[4];
};

PROACT_WORD struct proact_vector proact_load_vector(const unsigned char *from)
{
    struct proact_vector v;

    asm volatile("ld.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.word[0]), "=r"(v.word[1]), "=r"(v.word[2]), "=r"(v.word[3])
                 : "l"(from)
                 : "memory");
    return v;
}

PROACT_WORD void proact_store_vector(unsigned char *to, const struct proact_vector *v)
{
    asm volatile("st.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(to), "r"(v->word[0]),
                 "r"(v->word[1]), "r"(v->word[2]), "r"(v->word[3])
                 : "memory");
}

/* Vectors of 16 bytes, AT_ONCE of them on their way from each thread; neighbouring threads
   make a packet. */
template <int AT_ONCE>
PROACT_WORD void proact_send_vectors(const long long *delta, const unsigned char *from,
                                     proact_u32 bytes, proact_u32 peer_count,
                                     proact_u32 peer)
{
    const proact_u32 step = 16 * proact_threads();
    struct proact_vector v[AT_ONCE];

#pragma unroll 1
    for (proact_u32 at = 16 * proact_thread(); at < bytes; at += AT_ONCE * step) {
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++)
            if (at + k * step < bytes)
                v[k] = proact_load_vector(from + at + k * step);
#pragma unroll 1
        for (proact_u32 i = 0; i < peer_count; i++) {
            unsigned char *to = (unsigned char *)from + delta[peer] + at;

#pragma unroll
            for (int k = 0; k < AT_ONCE; k++)
                if (at + k * step < bytes)
                    proact_store_vector(to + k * step, &v[k]);
            peer = peer + 1 == peer_count ? 0 : peer + 1;
        }
    }
}

/* The whole CTA sends a piece to so many peers: whole packets by vectors, what lies before
   and behind them by bytes. Replicas are aligned alike on all devices. */
template <int AT_ONCE>
PROACT_WORD void proact_send_piece(const long long *delta, const unsigned char *from,
                                   proact_u32 bytes, proact_u32 peer_count, proact_u32 turn)
{
    proact_u32 threads = proact_threads(), peer = peer_count ? turn % peer_count : 0;
    proact_u32 head = -(proact_u32)(proact_u64)from & 15;

    if (head > bytes)
        head = bytes;
    proact_u32 body = (bytes - head) & ~15u;

    proact_send_vectors<AT_ONCE>(delta, from + head, body, peer_count, peer);
#pragma unroll 1
    for (proact_u32 i = proact_thread(); i < bytes - body; i += threads)
        proact_send_byte(from + (i < head ? i : i + body), delta, peer_count, peer);
}

/* The leader counts this CTA in up to 32 rows from `row` on, the first of them in `chunk`,
   and answers with a bit for each chunk of which it was the last writer. Counters only
   grow: the launches before this one have counted all of theirs. */
PROACT_WORD proact_u32 proact_count_rows(const struct proact_slot *slot, proact_u32 row,
                                         proact_u32 end, proact_u32 chunk)
{
    proact_u32 complete = 0;

#pragma unroll 1
    for (proact_u32 i = 0; i < 32 && row + i < end; i++) {
        if (i)
            chunk = slot->chunk[row + i];
        proact_u32 all = slot->round * slot->writers[chunk];

        /* protocol: count (else: proact_u32 before = slot->counter[chunk];) */
        proact_u32 before = proact_count(&slot->counter[chunk]);

        if (before + 1 == all)
            complete |= 1u << i;
    }
    /* After the counters and before the sends: what the other writers of these chunks
       released by their fence (done-fence) is now seen here. */
    if (complete)
        /* protocol: last-fence */
        proact_fence_gpu();
    return complete;
}

/* The rows of this CTA in a slot, and the chunk of the first. Looked up before the CTA's
   barrier where possible: what is waited for there anyway hides it. */
struct proact_rows {
    proact_u32 row, end, chunk;
};

PROACT_WORD struct proact_rows proact_rows_of(const struct proact_slot *slot)
{
    const proact_u32 cta = proact_cta_here();
    struct proact_rows r = {cta, cta + 1, 0};

    if (slot->regular) {
        r.chunk = (cta + slot->ahead) >> (slot->regular - 1);
        return r;
    }
    r.row = slot->first[cta];
    r.end = slot->first[cta + 1];
    r.chunk = r.row < r.end ? slot->chunk[r.row] : 0;
    return r;
}

/* Counts for an agent, which waits for the sums, and acquires (agent-acquire) what the
   fence just before released. The leader need not wait until it is counted. */
PROACT_WORD void proact_tell(const struct proact_share *share, struct proact_rows rows)
{
#pragma unroll 1
    for (proact_u32 s = 0; s < share->slot_count; s++) {
        const struct proact_slot *slot = &share->slot[s];

        if (s)
            rows = proact_rows_of(slot);
#pragma unroll 1
        for (; rows.row < rows.end; rows.row++) {
            /* protocol: tell */
            proact_count_unseen(&slot->counter[rows.chunk]);
            if (rows.row + 1 < rows.end)
                rows.chunk = slot->chunk[rows.row + 1];
        }
    }
}

/* What the CTA sends next: a piece of a chunk that it completed. */
struct proact_item {
    const unsigned char *from;
    proact_u32 bytes, slot; /* 0 bytes: nothing more */
    /* Numbers, and no address of what the share holds: parameters whose address is put away
       are copied to local memory, all of them, by every thread. */
    proact_u32 first_peer, peer_count;
};

/* Where the leader stands among its rows. In shared memory, because the registers are the
   kernel's: what is live while the CTA sends would cost it residency. */
struct proact_cursor {
    struct proact_rows rows; /* still to count */
    proact_u32 slot, counted, complete, piece, piece_end;
};

PROACT_WORD proact_u32 proact_lowest_bit(proact_u32 bits)
{
    proact_u32 n;

    asm("bfind.u32 %0, %1;" : "=r"(n) : "r"(bits & -bits));
    return n;
}

PROACT_WORD void proact_cursor_slot(struct proact_cursor *c, proact_u32 slot,
                                    struct proact_rows rows)
{
    c->rows = rows;
    c->slot = slot;
    c->complete = c->piece = c->piece_end = 0;
}

/* Where two mechanisms share the chunks, what waits for the sums sends the others. */
PROACT_WORD bool proact_is_sent(const struct proact_share *share,
                                const struct proact_slot *slot, proact_u32 chunk)
{
    return share->peer_count && (!(share->mode & PROACT_SHARE_MIX) || slot->sends[chunk]);
}

/* Launches the kernel that sends the chunk; 0 where that cannot be. Here it never can: in
   modules for such launches a call takes the place of this text (src/instrument). */
PROACT_WORD proact_u32 proact_launch_child(const struct proact_share *share,
                                           proact_u32 slot, proact_u32 chunk)
{
    proact_u32 launched;

    asm volatile("mov.u32 %0, 0; /* proact_launch_child %0 %1 %2 %3 */"
                 : "=r"(launched)
                 : "l"(share->children), "r"(slot), "r"(chunk)
                 : "memory");
    return launched;
}

/* Whether the CTA itself sends a chunk that it has completed. */
PROACT_WORD bool proact_sends(const struct proact_share *share, proact_u32 slot,
                              proact_u32 chunk)
{
    if (!proact_is_sent(share, &share->slot[slot], chunk))
        return false;
    return !(share->mode & PROACT_SHARE_LAUNCH) || !proact_launch_child(share, slot, chunk);
}

/* The leader finds the next piece; counts rows off when it has none left. */
PROACT_WORD void proact_next(const struct proact_share *share, struct proact_cursor *c,
                             struct proact_item *item)
{
#pragma unroll 1
    for (;;) {
        const struct proact_slot *slot = &share->slot[c->slot];

        if (c->piece < c->piece_end) {
            const struct proact_piece *piece = &slot->piece[c->piece++];

            item->from = slot->base + piece->first_byte;
            item->bytes = piece->bytes;
            item->slot = c->slot;
            item->first_peer = piece->first_peer;
            item->peer_count = piece->peer_count;
            return;
        }
        if (c->complete) {
            proact_u32 chunk = slot->chunk[c->counted + proact_lowest_bit(c->complete)];

            c->complete &= c->complete - 1;
            c->piece = slot->piece_first[chunk];
            c->piece_end =
                proact_sends(share, c->slot, chunk) ? slot->piece_first[chunk + 1] : 0;
        } else if (c->rows.row < c->rows.end) {
            c->counted = c->rows.row;
            c->complete = proact_count_rows(slot, c->rows.row, c->rows.end, c->rows.chunk);
            c->rows.row += 32;
            if (c->rows.row < c->rows.end)
                c->rows.chunk = slot->chunk[c->rows.row];
        } else if (c->slot + 1 < share->slot_count) {
            proact_cursor_slot(c, c->slot + 1, proact_rows_of(slot + 1));
        } else {
            item->bytes = 0;
            return;
        }
    }
}

/* The CTA that was the last to write a chunk sends it. */
PROACT_WORD void proact_send_complete(const struct proact_share *share, bool leads,
                                      struct proact_rows rows)
{
    __shared__ struct proact_cursor cursor;
    __shared__ struct proact_item
        item[2]; /* in turns, so that one barrier an item is enough */

    if (leads)
        proact_cursor_slot(&cursor, 0, rows);
#pragma unroll 1
    for (proact_u32 turn = 0;; turn ^= 1) {
        if (leads)
            proact_next(share, &cursor, &item[turn]);
        /* What the leader's fence (last-fence) let it see, every thread sees now. */
        /* protocol: verdict-barrier */
        proact_cta_sync();
        if (!item[turn].bytes)
            break;
        proact_send_piece<1>(share->slot[item[turn].slot].delta + item[turn].first_peer,
                             item[turn].from, item[turn].bytes, item[turn].peer_count,
                             proact_cta(share));
    }
}

/* The last words, in a mode of the caller's: what it rules out, the compiler leaves out.
   Of the CTA's threads just one leads. */
PROACT_WORD void proact_done_in(const struct proact_share *share, proact_u32 mode,
                                bool leads)
{
    if (!(mode & PROACT_SHARE_COUNT))
        return;
    struct proact_rows rows = {0, 0, 0};

    if (leads && share->slot_count)
        rows = proact_rows_of(&share->slot[0]);
    /* The leader has issued the CTA's bulk stores: its fence (done-fence) releases them. */
    if (leads)
        /* protocol: bulk-landed */
        proact_bulk_wait();
    /* All stores of the CTA come before its leader's fence. */
    /* protocol: done-barrier */
    proact_cta_sync();
    /* Pairs with the fence of a chunk's last writer (last-fence), or with an agent's
       acquire (agent-acquire). */
    if (leads)
        /* protocol: done-fence */
        proact_fence_gpu();
    if (mode & PROACT_SHARE_SEND)
        proact_send_complete(share, leads, rows);
    else if (leads)
        proact_tell(share, rows);
}

/* The last words of the kernel, of every thread of every CTA. */
PROACT_WORD void proact_done(const struct proact_share *share)
{
    proact_done_in(share, share->mode, proact_thread() == 0);
}
