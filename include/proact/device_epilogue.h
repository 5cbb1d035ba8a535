/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Epilogue of a kernel (PROACT III-B, III-C): part of <proact/device.h>, which includes
   this file. At its end a CTA counts in its chunks and, under fused and dynamic, sends the
   chunks that it completes. Only the leader counts, after a barrier of the CTA.
   docs/internals/protocol.md explains the steps; each comment names the step and its
   partner. */

/* ---- Counters ---- */

/* Counts this CTA in up to 32 chunks, from index `next` of chunk_lists on, of which the
   first is `chunk`. Returns a bit for each chunk whose last writer it is. Counters only
   grow: every earlier launch added all of its writers. Called by the leader. */
PROACT_DEVICE_INLINE proact_u32 proact_count_chunks(const struct proact_slot *slot,
                                                    proact_u32 next, proact_u32 end,
                                                    proact_u32 chunk)
{
    proact_u32 complete = 0;

#pragma unroll 1
    for (proact_u32 i = 0; i < 32 && next + i < end; i++) {
        if (i)
            chunk = slot->chunk_lists[next + i];
        proact_u32 target = slot->table_epoch * slot->writer_count[chunk];

        /* Count: the writer that finds all others counted sends the chunk. It is ordered by
           send-fence before it and last-fence after it. */
        /* protocol: count (else: proact_u32 before = slot->counter[chunk];) */
        proact_u32 before = proact_counter_add(&slot->counter[chunk]);

        if (before + 1 == target)
            complete |= 1u << i;
    }
    /* Acquire of the last writer, after its counts and before its sends. It pairs with
       send-fence or count-release of the other writers. */
    if (complete)
        /* protocol: last-fence */
        proact_fence_gpu();
    return complete;
}

/* Chunk list of this CTA in a slot: indices next .. end - 1 of chunk_lists, the chunk at
   `next`, and its writer count. In the regular case the list has one chunk, and `next` is
   the number of the local CTA. It is loaded before the barrier of the CTA if possible,
   which hides the latency. */
struct proact_chunk_list {
    proact_u32 next, end, chunk, writers;
};

PROACT_DEVICE_INLINE struct proact_chunk_list proact_chunk_list_of(
    const struct proact_slot *slot)
{
    const proact_u32 cta = proact_local_cta();
    struct proact_chunk_list r = {cta, cta + 1, 0, 0}; /* regular case */

    if (slot->chunk_shift) {
        r.chunk = (cta + slot->cta_bias) >> (slot->chunk_shift - 1);
    } else {
        const proact_u32 *list = slot->chunk_lists + slot->list_start[cta];

        r.chunk = list[1]; /* both loads together; a word exists there */
        r.next = (proact_u32)(list - slot->chunk_lists) + 1;
        r.end = r.next + list[0];
    }
    if (r.next < r.end)
        r.writers = slot->writer_count[r.chunk];
    return r;
}

/* Whether the CTA sends nothing and need not read its lists, as in the interior of a
   stencil; true for all CTAs under a mode that does not count. */
PROACT_DEVICE_INLINE bool proact_sends_nothing(const struct proact_partition *partition)
{
    return proact_local_cta() - partition->silent_first < partition->silent_count;
}

/* Whether the CTA counts in exactly one chunk. The count itself is then its release. */
PROACT_DEVICE_INLINE bool proact_has_one_chunk(const struct proact_partition *partition,
                                               struct proact_chunk_list list)
{
    return partition->slot_count == 1 && list.next + 1 == list.end;
}

/* Whether the CTA counts in no chunk. It then needs no release. */
PROACT_DEVICE_INLINE bool proact_has_no_chunk(const struct proact_partition *partition,
                                              struct proact_chunk_list list)
{
    return partition->slot_count == 1 && list.next == list.end;
}

/* Counts this CTA in all of its chunks, for an agent or a copy engine that waits for the
   sums (agent-wait, copy-wait). The leader does not wait for the counts. */
PROACT_DEVICE_INLINE void proact_notify_agent(const struct proact_partition *partition,
                                              struct proact_chunk_list list, bool is_single)
{
    if (is_single) {
        proact_u32 *counter = &partition->slot[0].counter[list.chunk];

        /* Release of the stores of the CTA, and its count. It pairs with agent-acquire or
           copy-wait. */
        /* protocol: notify-release (else: proact_counter_add_noreturn(counter);) */
        proact_counter_add_release_noreturn(counter);
        return;
    }
    /* Release of the stores of the CTA, before its counts. It pairs with agent-acquire or
       copy-wait, through the counts. */
    /* protocol: done-fence */
    proact_fence_gpu();
    proact_u32 s = 0;
#pragma unroll 1
    for (;;) {
        const struct proact_slot *slot = &partition->slot[s];

#pragma unroll 1
        for (; list.next < list.end; list.next++) {
            /* Count, published by done-fence; agent-wait and copy-wait wait for the sum. */
            /* protocol: notify */
            proact_counter_add_noreturn(&slot->counter[list.chunk]);
            if (list.next + 1 < list.end)
                list.chunk = slot->chunk_lists[list.next + 1];
        }
        if (++s >= partition->slot_count)
            return;
        list = proact_chunk_list_of(slot + 1);
    }
}

/* ---- Sends of the last writer ---- */

/* Next send of the CTA: one piece of a chunk that it completed, or several small ones. It
   has no address of a kernel parameter: the compiler would copy all parameters to local
   memory, in every thread. */
struct proact_send_work {
    const unsigned char *from;
    proact_u32 bytes, slot; /* bytes 0: no send is left */
    proact_u32 first_peer, peer_count;
    proact_u32 piece, pieces; /* index of the first piece, number of pieces */
};

/* Position of the leader in its chunk lists. It is in shared memory: registers that are
   live while the CTA sends would be registers of the user's kernel and reduce its
   occupancy. */
struct proact_cursor {
    struct proact_chunk_list list; /* chunks not counted yet */
    /* Slot; first index of the last count; bits of its complete chunks that are not sent
       yet, by distance from that index; pieces of the current chunk. */
    proact_u32 slot, counted, complete, piece, piece_end;
};

/* Moves the cursor to a slot. */
PROACT_DEVICE_INLINE void proact_cursor_slot(struct proact_cursor *c, proact_u32 slot,
                                             struct proact_chunk_list list)
{
    c->list = list;
    c->slot = slot;
    c->complete = c->piece = c->piece_end = 0;
}

/* Whether a chunk is sent by its last writer. Where two mechanisms share the chunks of a
   launch, an agent or a copy engine sends the others. */
PROACT_DEVICE_INLINE bool proact_chunk_is_sent(const struct proact_partition *partition,
                                               const struct proact_slot *slot,
                                               proact_u32 chunk)
{
    return partition->peer_count &&
           (!(partition->mode & PROACT_MODE_MIXED) || slot->sent_by_cta[chunk]);
}

/* Launches a kernel that sends a chunk (dynamic). 0: no launch took place. This text never
   launches; in modules for dynamic launches src/instrument replaces it by a call of
   kernels/child.cu. */
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

/* Whether the CTA itself sends a chunk that it completed. Under dynamic it does so only if
   the launch of the sending kernel failed. */
PROACT_DEVICE_INLINE bool proact_cta_sends_chunk(const struct proact_partition *partition,
                                                 proact_u32 slot, proact_u32 chunk)
{
    if (!proact_chunk_is_sent(partition, &partition->slot[slot], chunk))
        return false;
    return !(partition->mode & PROACT_MODE_LAUNCH) ||
           !proact_launch_child(partition, slot, chunk);
}

/* Finds the next send, and counts more chunks if no piece is left. Called by the leader. */
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
            proact_u32 index = c->counted + proact_lowest_bit(c->complete);
            proact_u32 chunk = slot->chunk_shift
                                   ? (index + slot->cta_bias) >> (slot->chunk_shift - 1)
                                   : slot->chunk_lists[index];

            c->complete &= c->complete - 1;
            c->piece = slot->piece_first[chunk];
            c->piece_end = proact_cta_sends_chunk(partition, c->slot, chunk)
                               ? slot->piece_first[chunk + 1]
                               : 0;
        } else if (c->list.next < c->list.end) {
            c->counted = c->list.next;
            c->complete =
                proact_count_chunks(slot, c->list.next, c->list.end, c->list.chunk);
            c->list.next += 32;
            if (c->list.next < c->list.end)
                c->list.chunk = slot->chunk_lists[c->list.next];
        } else if (c->slot + 1 < partition->slot_count) {
            proact_cursor_slot(c, c->slot + 1, proact_chunk_list_of(slot + 1));
        } else {
            item->bytes = 0;
            return;
        }
    }
}

/* Begins to count. False: nothing is left to count or to send. Called by the leader. Most
   CTAs count once and are not the last writer; this path is short, because all threads wait
   for it at the next barrier. */
PROACT_DEVICE_INLINE bool proact_send_begin(const struct proact_partition *partition,
                                            struct proact_chunk_list list, bool is_single,
                                            struct proact_cursor *c)
{
    if (is_single) {
        proact_u32 *counter = &partition->slot[0].counter[list.chunk];
        /* Release of the stores of the CTA, and its count. It pairs with once-fence or
           last-fence of the last writer. */
        /* protocol: count-release (else: proact_u32 old = proact_counter_add(counter);) */
        proact_u32 old = proact_counter_add_release(counter);

        if (old + 1 != partition->slot[0].table_epoch * list.writers)
            return false;
        /* Acquire of the last writer. It pairs with count-release or send-fence of the
           other writers. */
        /* protocol: once-fence */
        proact_fence_gpu();
        proact_cursor_slot(c, 0, list);
        c->counted = list.next;
        c->list.next = list.end;
        c->complete = 1;
    } else {
        /* Release of the stores of the CTA, before its counts. It pairs with last-fence or
           once-fence of the last writer. */
        /* protocol: send-fence */
        proact_fence_gpu();
        proact_cursor_slot(c, 0, list);
    }
    return true;
}

/* Sends one item by all threads of the CTA. */
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

/* Counts, and sends the chunks that this CTA completed (fused, dynamic). Called by all
   threads. A CTA that completes none, as most, ends after few instructions: each warp of
   each CTA executes every instruction here. */
PROACT_DEVICE_INLINE void proact_send_completed(const struct proact_partition *partition,
                                                bool is_leader,
                                                struct proact_chunk_list list,
                                                bool has_chunks, bool is_single)
{
    __shared__ struct proact_cursor cursor;
    /* Two items alternate, so that one barrier per item is enough. */
    __shared__ struct proact_send_work item[2];
    bool begins = false;

    if (has_chunks)
        begins = proact_send_begin(partition, list, is_single, &cursor);
    /* Broadcast of the leader's result. It pairs with the arrival of the leader, after its
       count; the stores of the CTA were ordered by done-barrier. */
    /* protocol: verdict-barrier (else: if (!begins) return;) */
    if (!proact_cta_any(begins))
        return;
#pragma unroll 1
    for (proact_u32 which = 0;; which ^= 1) {
        if (is_leader)
            proact_cursor_next(partition, &cursor, &item[which]);
        /* All threads read the item, and observe the stores that the leader acquired with
           once-fence or last-fence. */
        /* protocol: item-barrier */
        proact_cta_sync();
        if (!item[which].bytes)
            break;
        proact_send_item(partition, &item[which]);
    }
}

/* ---- Entry points ---- */

/* Epilogue in a mode that the caller passes: if it is a constant, the compiler removes the
   other modes. `is_leader` is true in one thread of the CTA. Only the leader reads the
   chunk lists, and before the barrier it decides how to count: each instruction of all
   threads would cost every warp. */
PROACT_DEVICE_INLINE void proact_done_mode(const struct proact_partition *partition,
                                           proact_u32 mode, bool is_leader)
{
    struct proact_chunk_list list;
    bool has_chunks = is_leader, is_single;

    if (proact_sends_nothing(partition))
        return;
    if (is_leader) {
        /* Completion of the bulk copies that the leader issued. Its next fence or releasing
           count publishes them: done-fence, send-fence, notify-release or count-release. */
        /* protocol: bulk-landed */
        proact_bulk_wait();
        list = proact_chunk_list_of(&partition->slot[0]);
        is_single = proact_has_one_chunk(partition, list);
        has_chunks = !proact_has_no_chunk(partition, list);
    }
    /* All stores of the CTA happen before the fence or count of its leader (done-fence,
       send-fence, notify-release, count-release), which releases them. */
    /* protocol: done-barrier */
    proact_cta_sync();
    if (mode & PROACT_MODE_SEND)
        proact_send_completed(partition, is_leader, list, has_chunks, is_single);
    else if (has_chunks)
        proact_notify_agent(partition, list, is_single);
}

/* Epilogue of an annotated kernel: the last action of all threads of every CTA. */
PROACT_DEVICE_INLINE void proact_done(const struct proact_partition *partition)
{
    proact_done_mode(partition, partition->mode, proact_is_leader());
}
