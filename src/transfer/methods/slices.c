/* SPDX-License-Identifier: Apache-2.0 */
#include "transfer/methods/slices.h"

#include <stdlib.h>

#include "base/memory.h"
#include "transfer/methods/expected.h"

enum {
    PACKET_BYTES = 128,        /* slices end at packet boundaries */
    ROUND_BYTES = 64 << 10,    /* large slices end at multiples of the bytes that a CTA has
                                  in flight */
    SLICE_BYTES_MAX = 1 << 30, /* fits into 32 bits */
};

struct slicing {
    const struct transfer_table *table; /* of the chunk's slot */
    struct agent_item item;
    uint64_t most;  /* target size of a slice of the chunk, before rounding to packets
                       and pieces */
    uint64_t taken; /* bytes of the open slice; 0: none is open */
    struct agent_slice *out;
    size_t count, capacity;
};

static uint64_t sent_bytes(const struct slicing *s)
{
    const struct transfer_table *t = s->table;
    uint64_t bytes = 0;

    for (uint32_t p = t->piece_first[s->item.chunk]; p < t->piece_first[s->item.chunk + 1];
         p++)
        bytes += (uint64_t)t->piece[p].bytes * t->piece[p].peer_count;
    return bytes;
}

static uint64_t slice_bytes(uint64_t sent, unsigned ctas)
{
    uint64_t slices = sent / SLICE_BYTES < ctas ? sent / SLICE_BYTES : ctas;
    uint64_t bytes = slices > 1 ? (sent + slices - 1) / slices : sent;

    return bytes < SLICE_BYTES_MAX ? bytes : SLICE_BYTES_MAX;
}

static void take(struct slicing *s, uint32_t piece, uint64_t first, uint64_t end)
{
    const struct proact_piece *of = &s->table->piece[piece];
    const uint32_t bytes = (uint32_t)(end - first);

    if (s->taken == 0) {
        s->out = must_grow(s->out, s->count, &s->capacity, sizeof *s->out);
        s->out[s->count++] = (struct agent_slice){
            .run = {first, bytes, of->first_peer, of->peer_count},
            .slot = s->item.slot,
            .chunk = s->item.chunk,
            .writers = s->table->writers[s->item.chunk],
            .next = piece + 1,
            .end = piece + 1,
        };
    } else {
        s->out[s->count - 1].end = piece + 1;
        s->out[s->count - 1].left += bytes;
    }
    s->taken += (uint64_t)bytes * of->peer_count;
    if (s->taken >= s->most)
        s->taken = 0;
}

/* End of the open slice, or of a new one, in a piece. Small pieces are not split, since the
   agent recognizes batches by size (proact_piece_batch()). */
static uint64_t slice_end(const struct slicing *s, const struct proact_piece *of,
                          uint64_t first)
{
    uint64_t room = (s->most - s->taken + of->peer_count - 1) / of->peer_count;
    uint64_t grain = room >= ROUND_BYTES ? ROUND_BYTES : PACKET_BYTES;
    uint64_t end = of->first_byte + of->bytes;
    uint64_t stop = (first + room + grain - 1) / grain * grain;

    return stop + PROACT_SMALL_PIECE_BYTES < end ? stop : end;
}

static void cut_chunk(struct slicing *s, unsigned ctas)
{
    const struct transfer_table *t = s->table;

    s->most = slice_bytes(sent_bytes(s), ctas);
    s->taken = 0;
    for (uint32_t p = t->piece_first[s->item.chunk]; p < t->piece_first[s->item.chunk + 1];
         p++) {
        const struct proact_piece *of = &t->piece[p];

        for (uint64_t first = of->first_byte; first < of->first_byte + of->bytes;) {
            uint64_t end = slice_end(s, of, first);

            take(s, p, first, end);
            first = end;
        }
    }
}

void slices_list(const struct transfer_binding *b, unsigned device, unsigned ctas,
                 struct agent_slice **out, uint64_t *count)
{
    struct slicing s = {.count = 0};
    struct agent_item *items;
    uint64_t item_count;

    expected_list(b, device, &items, &item_count);
    for (uint64_t i = 0; i < item_count; i++) {
        s.item = items[i];
        s.table = &b->slot[s.item.slot].tables->table[device];
        cut_chunk(&s, ctas);
    }
    free(items);
    *out = s.out;
    *count = s.count;
}
