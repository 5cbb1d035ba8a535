/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The last words of a kernel, which <proact/device.h> includes: a CTA that has ended counts
   in the chunks that it writes, and sends those that it completes. docs/protocol.md tells
   how the steps that are marked here fit together. */

/* The leader counts this CTA in up to 32 rows from `row` on, the first of them in `chunk`,
   and answers with a bit for each chunk of which it was the last writer. Counters only
   grow: the launches before this one have counted all of theirs. */
PROACT_DEVICE_INLINE proact_u32 proact_count_chunks(const struct proact_slot *slot,
                                                    proact_u32 row, proact_u32 end,
                                                    proact_u32 chunk)
{
    proact_u32 complete = 0;

#pragma unroll 1
    for (proact_u32 i = 0; i < 32 && row + i < end; i++) {
        if (i)
            chunk = slot->chunk_lists[row + i];
        proact_u32 all = slot->table_epoch * slot->writer_count[chunk];

        /* protocol: count (else: proact_u32 before = slot->counter[chunk];) */
        proact_u32 before = proact_counter_add(&slot->counter[chunk]);

        if (before + 1 == all)
            complete |= 1u << i;
    }
    /* After the counters and before the sends: what the other writers of these chunks
       released by their fence (send-fence) is now seen here. */
    if (complete)
        /* protocol: last-fence */
        proact_fence_gpu();
    return complete;
}

/* The rows of this CTA in a slot, the chunk of the first, and its writers. Looked up before
   the CTA's barrier where possible: what is waited for there anyway hides it. */
struct proact_chunk_list {
    proact_u32 row, end, chunk, writers;
};

PROACT_DEVICE_INLINE struct proact_chunk_list proact_chunk_list_of(
    const struct proact_slot *slot)
{
    const proact_u32 cta = proact_local_cta();
    struct proact_chunk_list r = {cta, cta + 1, 0,
                                  0}; /* as a rule has it: row c of CTA c */

    if (slot->chunk_shift) {
        r.chunk = (cta + slot->cta_bias) >> (slot->chunk_shift - 1);
    } else {
        const proact_u32 *list = slot->chunk_lists + slot->list_start[cta];

        r.chunk = list[1]; /* with the other, not behind it: something is there */
        r.row = (proact_u32)(list - slot->chunk_lists) + 1;
        r.end = r.row + list[0];
    }
    if (r.row < r.end)
        r.writers = slot->writer_count[r.chunk];
    return r;
}

/* Whether the CTA is known, without a look at its rows, to have none: the middle of a
   stencil, of which the borders alone are sent. All are, where nothing is counted. */
PROACT_DEVICE_INLINE bool proact_sends_nothing(const struct proact_partition *partition)
{
    return proact_local_cta() - partition->silent_first < partition->silent_count;
}

/* Whether the CTA counts in one row and no more: its count itself releases, then. */
PROACT_DEVICE_INLINE bool proact_has_one_chunk(const struct proact_partition *partition,
                                               struct proact_chunk_list list)
{
    return partition->slot_count == 1 && list.row + 1 == list.end;
}

/* It writes nothing that goes anywhere: it has nothing to release. */
PROACT_DEVICE_INLINE bool proact_has_no_chunk(const struct proact_partition *partition,
                                              struct proact_chunk_list list)
{
    return partition->slot_count == 1 && list.row == list.end;
}

/* Counts for an agent, which waits for the sums, and acquires (agent-acquire) what the
   fence just before released, or the count. The leader need not wait until it is counted.
 */
PROACT_DEVICE_INLINE void proact_notify_agent(const struct proact_partition *partition,
                                              struct proact_chunk_list list, bool once)
{
    if (once) {
        proact_u32 *counter = &partition->slot[0].counter[list.chunk];

        /* protocol: notify-release (else: proact_counter_add_noreturn(counter);) */
        proact_counter_add_release_noreturn(counter);
        return;
    }
    /* protocol: done-fence */
    proact_fence_gpu();
    proact_u32 s = 0;
#pragma unroll 1
    for (;;) {
        const struct proact_slot *slot = &partition->slot[s];

#pragma unroll 1
        for (; list.row < list.end; list.row++) {
            /* protocol: notify */
            proact_counter_add_noreturn(&slot->counter[list.chunk]);
            if (list.row + 1 < list.end)
                list.chunk = slot->chunk_lists[list.row + 1];
        }
        if (++s >= partition->slot_count)
            return;
        list = proact_chunk_list_of(slot + 1);
    }
}

/* What the CTA sends next: a piece of a chunk that it completed, or many small ones. */
struct proact_send_work {
    const unsigned char *from;
    proact_u32 bytes, slot; /* 0 bytes: nothing more */
    /* Numbers, and no address of what the share holds: parameters whose address is put away
       are copied to local memory, all of them, by every thread. */
    proact_u32 first_peer, peer_count;
    proact_u32 piece, pieces; /* its number, and how many are sent at once from it on */
};

/* Where the leader stands among its rows. In shared memory, because the registers are the
   kernel's: what is live while the CTA sends would cost it residency. */
struct proact_cursor {
    struct proact_chunk_list list; /* still to count */
    proact_u32 slot, counted, complete, piece, piece_end;
};

PROACT_DEVICE_INLINE proact_u32 proact_lowest_bit(proact_u32 bits)
{
    proact_u32 n;

    asm("bfind.u32 %0, %1;" : "=r"(n) : "r"(bits & -bits));
    return n;
}

PROACT_DEVICE_INLINE void proact_cursor_slot(struct proact_cursor *c, proact_u32 slot,
                                             struct proact_chunk_list list)
{
    c->list = list;
    c->slot = slot;
    c->complete = c->piece = c->piece_end = 0;
}

/* Where two mechanisms share the chunks, what waits for the sums sends the others. */
PROACT_DEVICE_INLINE bool proact_chunk_is_sent(const struct proact_partition *partition,
                                               const struct proact_slot *slot,
                                               proact_u32 chunk)
{
    return partition->peer_count &&
           (!(partition->mode & PROACT_MODE_MIXED) || slot->sent_by_cta[chunk]);
}

/* Launches the kernel that sends the chunk; 0 where that cannot be. Here it never can: in
   modules for such launches a call takes the place of this text (src/instrument). */
PROACT_DEVICE_INLINE proact_u32 proact_launch_child(
    const struct proact_partition *partition, proact_u32 slot, proact_u32 chunk)
{
    proact_u32 launched;

    asm volatile("mov.u32 %0, 0; /* proact_launch_child %0 %1 %2 %3 */"
                 : "=r"(launched)
                 : "l"(partition->child_launch), "r"(slot), "r"(chunk)
                 : "memory");
    return launched;
}

/* Whether the CTA itself sends a chunk that it has completed. */
PROACT_DEVICE_INLINE bool proact_cta_sends_chunk(const struct proact_partition *partition,
                                                 proact_u32 slot, proact_u32 chunk)
{
    if (!proact_chunk_is_sent(partition, &partition->slot[slot], chunk))
        return false;
    return !(partition->mode & PROACT_MODE_LAUNCH) ||
           !proact_launch_child(partition, slot, chunk);
}

/* The leader finds the next piece; counts rows off when it has none left. */
PROACT_DEVICE_INLINE void proact_cursor_next(const struct proact_partition *partition,
                                             struct proact_cursor *c,
                                             struct proact_send_work *item)
{
#pragma unroll 1
    for (;;) {
        const struct proact_slot *slot = &partition->slot[c->slot];

        if (c->piece < c->piece_end) {
            const struct proact_piece *piece = &slot->piece[c->piece];

            item->from = slot->base + piece->first_byte;
            item->bytes = piece->bytes;
            item->slot = c->slot;
            item->first_peer = piece->first_peer;
            item->peer_count = piece->peer_count;
            item->piece = c->piece;
            item->pieces = proact_piece_batch(item->bytes, c->piece_end - c->piece);
            c->piece += item->pieces;
            return;
        }
        if (c->complete) {
            proact_u32 row = c->counted + proact_lowest_bit(c->complete);
            proact_u32 chunk = slot->chunk_shift
                                   ? (row + slot->cta_bias) >> (slot->chunk_shift - 1)
                                   : slot->chunk_lists[row];

            c->complete &= c->complete - 1;
            c->piece = slot->piece_first[chunk];
            c->piece_end = proact_cta_sends_chunk(partition, c->slot, chunk)
                               ? slot->piece_first[chunk + 1]
                               : 0;
        } else if (c->list.row < c->list.end) {
            c->counted = c->list.row;
            c->complete =
                proact_count_chunks(slot, c->list.row, c->list.end, c->list.chunk);
            c->list.row += 32;
            if (c->list.row < c->list.end)
                c->list.chunk = slot->chunk_lists[c->list.row];
        } else if (c->slot + 1 < partition->slot_count) {
            proact_cursor_slot(c, c->slot + 1, proact_chunk_list_of(slot + 1));
        } else {
            item->bytes = 0;
            return;
        }
    }
}

/* The leader begins to count; false: there is nothing more to count or to send. Most CTAs
   count once and are not the last: for them it is over soon, which all threads wait for. */
PROACT_DEVICE_INLINE bool proact_send_begin(const struct proact_partition *partition,
                                            struct proact_chunk_list list, bool once,
                                            struct proact_cursor *c)
{
    if (once) {
        proact_u32 *counter = &partition->slot[0].counter[list.chunk];
        /* protocol: count-release (else: proact_u32 before = proact_counter_add(counter);)
         */
        proact_u32 before = proact_counter_add_release(counter);

        if (before + 1 != partition->slot[0].table_epoch * list.writers)
            return false;
        /* protocol: once-fence */
        proact_fence_gpu();
        proact_cursor_slot(c, 0, list);
        c->counted = list.row;
        c->list.row = list.end;
        c->complete = 1;
    } else {
        /* protocol: send-fence */
        proact_fence_gpu();
        proact_cursor_slot(c, 0, list);
    }
    return true;
}

PROACT_DEVICE_INLINE void proact_send_item(const struct proact_partition *partition,
                                           const struct proact_send_work *item)
{
    const struct proact_slot *slot = &partition->slot[item->slot];

    if (item->pieces > 1)
        proact_send_small_pieces(slot, item->piece, item->pieces);
    else
        proact_send_piece<1>(slot->peer_offset + item->first_peer, item->from, item->bytes,
                             item->peer_count, proact_cta(partition));
}

/* The CTA that was the last to write a chunk sends it. Those that were not, most of them,
   end after few instructions: every one here is executed by each warp of each CTA. */
PROACT_DEVICE_INLINE void proact_send_completed(const struct proact_partition *partition,
                                                bool leads, struct proact_chunk_list list,
                                                bool counts, bool once)
{
    __shared__ struct proact_cursor cursor;
    __shared__ struct proact_send_work
        item[2]; /* in turns, so that one barrier an item is enough */
    bool begins = false;

    if (counts)
        begins = proact_send_begin(partition, list, once, &cursor);
    /* protocol: verdict-barrier (else: if (!begins) return;) */
    if (!proact_cta_any(begins))
        return;
#pragma unroll 1
    for (proact_u32 turn = 0;; turn ^= 1) {
        if (leads)
            proact_cursor_next(partition, &cursor, &item[turn]);
        /* What the leader's fence (last-fence) let it see, every thread sees now. */
        /* protocol: item-barrier */
        proact_cta_sync();
        if (!item[turn].bytes)
            break;
        proact_send_item(partition, &item[turn]);
    }
}

/* The last words, in a mode of the caller's: what it rules out, the compiler leaves out.
   Of the CTA's threads just one leads, and it alone knows the rows: to give the others any
   would cost every warp instructions. For the same reason it settles before the barrier how
   it counts. */
PROACT_DEVICE_INLINE void proact_done_mode(const struct proact_partition *partition,
                                           proact_u32 mode, bool leads)
{
    struct proact_chunk_list list;
    bool counts = leads, once;

    if (proact_sends_nothing(partition))
        return;
    if (leads) {
        /* The leader has issued the CTA's bulk stores: its fence or count releases them. */
        /* protocol: bulk-landed */
        proact_bulk_wait();
        list = proact_chunk_list_of(&partition->slot[0]);
        once = proact_has_one_chunk(partition, list);
        counts = !proact_has_no_chunk(partition, list);
    }
    /* All stores of the CTA come before its leader's fence or count. */
    /* protocol: done-barrier */
    proact_cta_sync();
    /* The leader's fence or count pairs with the fence of a chunk's last writer
       (last-fence), or with an agent's acquire (agent-acquire). */
    if (mode & PROACT_MODE_SEND)
        proact_send_completed(partition, leads, list, counts, once);
    else if (counts)
        proact_notify_agent(partition, list, once);
}

/* The last words of the kernel, of every thread of every CTA. */
PROACT_DEVICE_INLINE void proact_done(const struct proact_partition *partition)
{
    proact_done_mode(partition, partition->mode, proact_is_leader());
}
