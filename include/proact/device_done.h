/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The last words of a kernel, which <proact/device.h> includes: a CTA that has ended counts
   in the chunks that it writes, and sends those that it completes. docs/protocol.md tells
   how the steps that are marked here fit together. */

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
       released by their fence (send-fence) is now seen here. */
    if (complete)
        /* protocol: last-fence */
        proact_fence_gpu();
    return complete;
}

/* The rows of this CTA in a slot, the chunk of the first, and its writers. Looked up before
   the CTA's barrier where possible: what is waited for there anyway hides it. */
struct proact_rows {
    proact_u32 row, end, chunk, writers;
};

PROACT_WORD struct proact_rows proact_rows_of(const struct proact_slot *slot)
{
    const proact_u32 cta = proact_cta_here();
    struct proact_rows r = {cta, cta + 1, 0, 0}; /* as a rule has it: row c of CTA c */

    if (slot->regular) {
        r.chunk = (cta + slot->ahead) >> (slot->regular - 1);
    } else {
        const proact_u32 *list = slot->chunk + slot->first[cta];

        r.chunk = list[1]; /* with the other, not behind it: something is there */
        r.row = (proact_u32)(list - slot->chunk) + 1;
        r.end = r.row + list[0];
    }
    if (r.row < r.end)
        r.writers = slot->writers[r.chunk];
    return r;
}

/* Whether the CTA is known, without a look at its rows, to have none: the middle of a
   stencil, of which the borders alone are sent. All are, where nothing is counted. */
PROACT_WORD bool proact_is_quiet(const struct proact_share *share)
{
    return proact_cta_here() - share->quiet < share->quiet_count;
}

/* Whether the CTA counts in one row and no more: its count itself releases, then. */
PROACT_WORD bool proact_counts_once(const struct proact_share *share,
                                    struct proact_rows rows)
{
    return share->slot_count == 1 && rows.row + 1 == rows.end;
}

/* It writes nothing that goes anywhere: it has nothing to release. */
PROACT_WORD bool proact_counts_nothing(const struct proact_share *share,
                                       struct proact_rows rows)
{
    return share->slot_count == 1 && rows.row == rows.end;
}

/* Counts for an agent, which waits for the sums, and acquires (agent-acquire) what the
   fence just before released, or the count. The leader need not wait until it is counted.
 */
PROACT_WORD void proact_tell(const struct proact_share *share, struct proact_rows rows,
                             bool once)
{
    if (once) {
        proact_u32 *counter = &share->slot[0].counter[rows.chunk];

        /* protocol: notify-release (else: proact_count_unseen(counter);) */
        proact_count_release_unseen(counter);
        return;
    }
    /* protocol: done-fence */
    proact_fence_gpu();
    proact_u32 s = 0;
#pragma unroll 1
    for (;;) {
        const struct proact_slot *slot = &share->slot[s];

#pragma unroll 1
        for (; rows.row < rows.end; rows.row++) {
            /* protocol: notify */
            proact_count_unseen(&slot->counter[rows.chunk]);
            if (rows.row + 1 < rows.end)
                rows.chunk = slot->chunk[rows.row + 1];
        }
        if (++s >= share->slot_count)
            return;
        rows = proact_rows_of(slot + 1);
    }
}

/* What the CTA sends next: a piece of a chunk that it completed, or many small ones. */
struct proact_item {
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
            const struct proact_piece *piece = &slot->piece[c->piece];

            item->from = slot->base + piece->first_byte;
            item->bytes = piece->bytes;
            item->slot = c->slot;
            item->first_peer = piece->first_peer;
            item->peer_count = piece->peer_count;
            item->piece = c->piece;
            item->pieces = proact_pieces_at_once(item->bytes, c->piece_end - c->piece);
            c->piece += item->pieces;
            return;
        }
        if (c->complete) {
            proact_u32 row = c->counted + proact_lowest_bit(c->complete);
            proact_u32 chunk = slot->regular ? (row + slot->ahead) >> (slot->regular - 1)
                                             : slot->chunk[row];

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

/* The leader begins to count; false: there is nothing more to count or to send. Most CTAs
   count once and are not the last: for them it is over soon, which all threads wait for. */
PROACT_WORD bool proact_begins(const struct proact_share *share, struct proact_rows rows,
                               bool once, struct proact_cursor *c)
{
    if (once) {
        proact_u32 *counter = &share->slot[0].counter[rows.chunk];
        /* protocol: count-release (else: proact_u32 before = proact_count(counter);) */
        proact_u32 before = proact_count_release(counter);

        if (before + 1 != share->slot[0].round * rows.writers)
            return false;
        /* protocol: once-fence */
        proact_fence_gpu();
        proact_cursor_slot(c, 0, rows);
        c->counted = rows.row;
        c->rows.row = rows.end;
        c->complete = 1;
    } else {
        /* protocol: send-fence */
        proact_fence_gpu();
        proact_cursor_slot(c, 0, rows);
    }
    return true;
}

PROACT_WORD void proact_send_item(const struct proact_share *share,
                                  const struct proact_item *item)
{
    const struct proact_slot *slot = &share->slot[item->slot];

    if (item->pieces > 1)
        proact_send_small(slot, item->piece, item->pieces);
    else
        proact_send_piece<1>(slot->delta + item->first_peer, item->from, item->bytes,
                             item->peer_count, proact_cta(share));
}

/* The CTA that was the last to write a chunk sends it. Those that were not, most of them,
   end after few instructions: every one here is executed by each warp of each CTA. */
PROACT_WORD void proact_send_complete(const struct proact_share *share, bool leads,
                                      struct proact_rows rows, bool counts, bool once)
{
    __shared__ struct proact_cursor cursor;
    __shared__ struct proact_item
        item[2]; /* in turns, so that one barrier an item is enough */
    bool begins = false;

    if (counts)
        begins = proact_begins(share, rows, once, &cursor);
    /* protocol: verdict-barrier (else: if (!begins) return;) */
    if (!proact_cta_any(begins))
        return;
#pragma unroll 1
    for (proact_u32 turn = 0;; turn ^= 1) {
        if (leads)
            proact_next(share, &cursor, &item[turn]);
        /* What the leader's fence (last-fence) let it see, every thread sees now. */
        /* protocol: item-barrier */
        proact_cta_sync();
        if (!item[turn].bytes)
            break;
        proact_send_item(share, &item[turn]);
    }
}

/* The last words, in a mode of the caller's: what it rules out, the compiler leaves out.
   Of the CTA's threads just one leads, and it alone knows the rows: to give the others any
   would cost every warp instructions. For the same reason it settles before the barrier how
   it counts. */
PROACT_WORD void proact_done_in(const struct proact_share *share, proact_u32 mode,
                                bool leads)
{
    struct proact_rows rows;
    bool counts = leads, once;

    if (proact_is_quiet(share))
        return;
    if (leads) {
        /* The leader has issued the CTA's bulk stores: its fence or count releases them. */
        /* protocol: bulk-landed */
        proact_bulk_wait();
        rows = proact_rows_of(&share->slot[0]);
        once = proact_counts_once(share, rows);
        counts = !proact_counts_nothing(share, rows);
    }
    /* All stores of the CTA come before its leader's fence or count. */
    /* protocol: done-barrier */
    proact_cta_sync();
    /* The leader's fence or count pairs with the fence of a chunk's last writer
       (last-fence), or with an agent's acquire (agent-acquire). */
    if (mode & PROACT_SHARE_SEND)
        proact_send_complete(share, leads, rows, counts, once);
    else if (counts)
        proact_tell(share, rows, once);
}

/* The last words of the kernel, of every thread of every CTA. */
PROACT_WORD void proact_done(const struct proact_share *share)
{
    proact_done_in(share, share->mode, proact_leads());
}
