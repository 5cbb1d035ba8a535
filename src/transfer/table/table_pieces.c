/* SPDX-License-Identifier: Apache-2.0 */
#include "transfer/table/table_pieces.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "transfer/methods/stretches.h"

uint64_t table_chunk_of(const struct transfer_table_request *r,
                        const struct transfer_table *t, uint64_t byte)
{
    uint32_t low = 0, high = t->chunk_count;

    if (!t->end)
        return byte / r->chunk_bytes;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (t->end[middle] <= byte)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint64_t table_chunk_first(const struct transfer_table_request *r,
                           const struct transfer_table *t, uint64_t chunk)
{
    return chunk ? table_chunk_end(r, t, chunk - 1) : 0;
}

uint64_t table_chunk_end(const struct transfer_table_request *r,
                         const struct transfer_table *t, uint64_t chunk)
{
    return t->end ? t->end[chunk] : (chunk + 1) * r->chunk_bytes;
}

#define PIECE_BYTES_MAX ((uint64_t)1 << 31)

struct cutter {
    const struct transfer_table_request *request;
    const struct transfer_table *tables; /* of all devices */
    struct transfer_table *table;
    uint32_t device, reached;
    size_t pieces, copied, sends, extents; /* capacities */
    uint64_t chunk; /* current chunk, and the peers of its current piece */
    uint32_t chunk_peers;
    size_t behind[PROACT_PEERS_MAX + 1]; /* by device: owned ranges that end before the
                                            current one */
};

/* Peers that need the byte, as a bit mask; *until is the next byte where it may change. */
static uint32_t wanted_by(const struct cutter *c, uint64_t byte, uint64_t *until)
{
    const struct transfer_table_request *r = c->request;
    uint32_t peers = 0;

    for (uint32_t i = 0; i + 1 < r->device_count; i++) {
        const struct transfer_need *need =
            r->needs ? &r->needs[(c->device + 1 + i) % r->device_count] : NULL;

        if (!need || need->all) {
            peers |= 1u << i;
            continue;
        }
        size_t at = spans_from(&need->spans, byte);

        if (at == need->spans.count)
            continue;
        const struct span *s = &need->spans.span[at];
        uint64_t change = s->first <= byte ? s->end : s->first;

        peers |= s->first <= byte ? 1u << i : 0;
        *until = change < *until ? change : *until;
    }
    return peers;
}

/* Removes the lowest group of consecutive peers from *peers. */
static struct transfer_peers take_peers(uint32_t *peers)
{
    struct transfer_peers to = {(uint16_t)__builtin_ctz(*peers), 0};

    while (*peers >> (to.first + to.count) & 1)
        *peers &= ~(1u << (to.first + to.count++));
    return to;
}

static void add_send(struct cutter *c, uint64_t first, uint64_t end, uint32_t peers)
{
    struct transfer_table *t = c->table;

    while (peers) {
        struct transfer_peers to = take_peers(&peers);

        t->send = must_grow(t->send, t->send_count, &c->sends, sizeof *t->send);
        t->send[t->send_count++] = (struct transfer_send){first, end - first, to};
        t->bytes += (end - first) * to.count;
    }
}

/* Whether any device writes in the range. Calls have increasing ranges. */
static bool is_written(struct cutter *c, uint64_t first, uint64_t end)
{
    for (uint32_t d = 0; d < c->request->device_count; d++) {
        const struct spans *owned = &c->tables[d].owned;
        size_t *at = &c->behind[d];

        if (*at < owned->count && owned->span[*at].end <= first)
            ++*at; /* the common case */
        if (*at < owned->count && owned->span[*at].end <= first)
            *at = spans_from(owned, first);
        if (*at < owned->count && owned->span[*at].first < end)
            return true;
    }
    return false;
}

static void add_extent(struct cutter *c, uint64_t first, uint64_t end, uint32_t peers)
{
    struct transfer_table *t = c->table;
    struct transfer_extent *last = t->extent_count ? &t->extent[t->extent_count - 1] : NULL;

    t->peers |= peers;
    if (last && last->peers == peers && !is_written(c, last->end, first)) {
        last->has_gaps |= first > last->end;
        last->has_wide_gaps |= first - last->end > TRANSFER_GAP_BYTES;
        last->end = end;
        return;
    }
    t->extent = must_grow(t->extent, t->extent_count, &c->extents, sizeof *t->extent);
    t->extent[t->extent_count++] =
        (struct transfer_extent){first, end, peers, false, false};
}

static struct proact_piece piece_of(uint64_t first, uint64_t end, struct transfer_peers to)
{
    return (struct proact_piece){first, (uint32_t)(end - first), to.first, to.count};
}

static void add_pieces(struct cutter *c, uint64_t chunk, uint64_t first, uint64_t end,
                       uint32_t peers)
{
    struct transfer_table *t = c->table;
    uint32_t reached = peers & c->reached, copied = peers & ~c->reached;

    if (chunk != c->chunk)
        c->chunk_peers = 0;
    c->chunk = chunk;
    t->sent_chunks += !c->chunk_peers && peers;
    t->chunks += (uint64_t)__builtin_popcount(peers & ~c->chunk_peers);
    t->copied_chunks += (uint64_t)__builtin_popcount(copied & ~c->chunk_peers);
    t->copied_bytes += (end - first) * (uint64_t)__builtin_popcount(copied);
    c->chunk_peers |= peers;
    for (; reached; t->piece_first[chunk + 1]++) {
        t->piece = must_grow(t->piece, t->piece_count, &c->pieces, sizeof *t->piece);
        t->piece[t->piece_count++] = piece_of(first, end, take_peers(&reached));
    }
    for (; copied; t->copied_first[chunk + 1]++) {
        t->copied = must_grow(t->copied, t->copied_count, &c->copied, sizeof *t->copied);
        t->copied[t->copied_count++] = piece_of(first, end, take_peers(&copied));
    }
}

/* Adds pieces for a range with the same peers throughout. */
static void cut_alike(struct cutter *c, uint64_t first, uint64_t end, uint32_t peers)
{
    add_send(c, first, end, peers);
    add_extent(c, first, end, peers);
    while (peers && first < end) {
        uint64_t chunk = table_chunk_of(c->request, c->table, first);
        uint64_t border = table_chunk_end(c->request, c->table, chunk);
        uint64_t stop = end < border ? end : border;

        if (stop - first > PIECE_BYTES_MAX)
            stop = first + PIECE_BYTES_MAX;
        add_pieces(c, chunk, first, stop, peers);
        first = stop;
    }
}

/* Moves small pieces to the end of their chunk, in stable order. Senders rely on this
   order. */
static void put_small_last(struct transfer_table *t)
{
    struct proact_piece *small = must_calloc(t->piece_count + 1u, sizeof *small);

    for (uint32_t chunk = 0; chunk < t->chunk_count; chunk++) {
        uint32_t p = t->piece_first[chunk], end = t->piece_first[chunk + 1], to = p;
        size_t count = 0;

        for (; p < end; p++)
            if (t->piece[p].bytes <= PROACT_SMALL_PIECE_BYTES)
                small[count++] = t->piece[p];
            else
                t->piece[to++] = t->piece[p];
        if (count)
            memcpy(&t->piece[to], small, count * sizeof *small);
    }
    free(small);
}

/* Turns the numbers of pieces of the chunks into their first indices. */
static void add_up(uint32_t *first, uint32_t chunks)
{
    for (uint32_t chunk = 0; chunk < chunks; chunk++)
        first[chunk + 1] += first[chunk];
}

static void count_copies(struct transfer_table *t)
{
    struct stretch *at = must_calloc(t->extent_count + 1, sizeof *at);
    struct rows_list rows = {0};

    for (size_t n = 0; n < t->extent_count; n++)
        at[n] = (struct stretch){t->extent[n].first, t->extent[n].end - t->extent[n].first};
    stretches_gather(at, t->extent_count, &rows);
    t->extent_copies = rows.count;
    free(rows.rows);
    free(at);
}

void table_pieces_cut(const struct transfer_table_request *r, struct transfer_table *tables,
                      uint32_t device)
{
    struct transfer_table *t = &tables[device];
    const uint32_t all = (1u << (r->device_count - 1)) - 1;
    struct cutter c = {.request = r,
                       .tables = tables,
                       .table = t,
                       .device = device,
                       .reached = transfer_table_reached(r, device),
                       .chunk = UINT64_MAX};

    if (c.reached != all)
        t->copied_first = must_calloc((size_t)t->chunk_count + 1, sizeof *t->copied_first);
    uint64_t until = 0;
    uint32_t peers = 0;

    for (size_t n = 0; n < t->owned.count; n++) {
        const struct span *owned = &t->owned.span[n];

        for (uint64_t at = owned->first, end; at < owned->end; at = end) {
            if (at >= until) {
                until = UINT64_MAX;
                peers = wanted_by(&c, at, &until);
            }
            end = until < owned->end ? until : owned->end;
            cut_alike(&c, at, end, peers);
        }
    }
    add_up(t->piece_first, t->chunk_count);
    if (t->copied_first)
        add_up(t->copied_first, t->chunk_count);
    put_small_last(t);
    count_copies(t);
}
