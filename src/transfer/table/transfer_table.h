/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Who writes what: the tables by which one launch's chunks are counted and sent, built from
   a map that says for each CTA (linear, of the whole grid) the bytes of the array it may
   write (PROACT III-B). Counters are counted from these rows and counted down by them, so a
   map that is too large only delays a chunk. */

#include <proact/device.h>
#include <proact/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/spans/cta_runs.h"
#include "base/spans/spans.h"

/* What a device reads of an array: bytes that others write go to it while they are fresh.
 */
struct transfer_need {
    bool all;
    struct spans spans; /* unless all */
    uint64_t digest;    /* of these, where that was asked for; 0: nobody did */
};

struct transfer_table_request {
    const char *array; /* for messages */
    uint64_t array_bytes, chunk_bytes;
    uint64_t rise_bytes; /* chunks of a device's share grow by this, from chunk_bytes on */
    unsigned device_count;
    const uint32_t *cta_first; /* device d: CTAs cta_first[d] .. cta_first[d + 1] - 1 */
    const struct cta_runs *written;    /* within the array; of a CTA in any order */
    const struct transfer_need *needs; /* by device; NULL: each needs all */
    /* By device, what it reads of the array in that launch, and so has; NULL: nobody knows.
       Narrow gaps between what it writes, which nobody else does, are taken for written
       where they are read: single words would be as many as there are threads. Not for
       who stores to peers what it stores itself, and no more. */
    const struct transfer_need *reads;
};

/* Peers first .. first + count - 1 of the sender, in its own numbers (transfer_peer()). */
struct transfer_peers {
    uint16_t first, count;
};
static inline bool transfer_goes_to(struct transfer_peers to, unsigned peer)
{
    return peer - to.first < to.count; /* below, it is huge */
}
static inline struct transfer_peers transfer_piece_peers(const struct proact_piece *p)
{
    return (struct transfer_peers){p->first_peer, p->peer_count};
}

enum { TRANSFER_GAP_BYTES = 4096 }; /* more is a wide gap */

/* What one device counts and sends. Lists and pieces as in struct proact_slot; chunks that
   have no piece are in no list either. */
struct transfer_table {
    uint32_t cta_count, chunk_count, list_words, piece_count, send_count;
    uint64_t *end;                       /* of the chunks, if they rise; else NULL */
    uint32_t silent_first, silent_count; /* the longest run of CTAs that count nowhere */
    struct transfer_ctas {  /* from where those before it end, up to end - 1, all: */
        uint32_t end, list; /* its place among the lists */
    } * ctas;
    uint32_t ctas_count;
    uint32_t *chunk;       /* list_words: each list once, behind how many are in it */
    uint32_t *writers;     /* chunk_count */
    uint32_t *piece_first; /* chunk_count + 1 */
    struct proact_piece *piece;
    struct transfer_send {
        uint64_t first, bytes;
        struct transfer_peers to;
    } * send;                /* the pieces, joined over chunk borders */
    struct transfer_extent { /* what is written and goes to the same peers, in order */
        uint64_t first, end;
        uint32_t peers;     /* a bit each, in the sender's numbers */
        bool has_gaps;      /* of bytes that nobody writes, between what it does */
        bool has_wide_gaps; /* some of them wide */
    } * extent;
    size_t extent_count;
    size_t extent_copies;   /* that they would be, many rows being one (stretches.h) */
    uint32_t peers;         /* all that some extent goes to */
    struct spans owned;     /* bytes, sent or not; with closed gaps (reads) */
    uint64_t owned_bytes;   /* in these */
    uint64_t bytes, chunks; /* that are sent, once for each peer that gets them */
    uint32_t sent_chunks;   /* chunks that have a piece */
};

/* Fills tables[0 .. device_count - 1]; clear each. Fails with PROACT_EINVAL when two
   devices would own one byte. */
enum proact_status transfer_table_build(const struct transfer_table_request *request,
                                        struct transfer_table *tables,
                                        struct proact_error *err);
void transfer_table_clear(struct transfer_table *t); /* zeroed is fine */

/* CTAs of the device (its own numbers) that write into the chunk: the first `room` are put
   into `out`; returns how many there are. */
uint32_t transfer_table_writers(const struct transfer_table *t, uint32_t chunk,
                                uint32_t *out, uint32_t room);

/* By CTA, its list. */
void transfer_table_first(const struct transfer_table *t, uint32_t *out);

/* Whether each CTA c writes into one chunk, (c + ahead) >> regular - 1; 0: no. */
uint32_t transfer_table_regular(const struct transfer_table *t, uint32_t *ahead);
