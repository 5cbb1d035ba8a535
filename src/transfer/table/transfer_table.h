/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Counter tables of one launch (PROACT III-B), built from a map that gives the bytes that
   each CTA (linear, in the full grid) may write. The writers of a chunk are counted from
   the map, and so are the increments, so a map that is too large only delays a chunk. */

#include <proact/device.h>
#include <proact/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/spans/cta_runs.h"
#include "base/spans/spans.h"

/* Bytes of an array that a device reads; written bytes are pushed only to their readers. */
struct transfer_need {
    bool all;
    struct spans spans; /* unless all */
    uint64_t digest;    /* of `spans`, if the caller computed it; else 0 */
};

struct transfer_table_request {
    const char *array; /* for messages */
    uint64_t array_bytes, chunk_bytes;
    uint64_t rise_bytes; /* chunk size increment within a device's partition, from
                            chunk_bytes on */
    unsigned device_count;
    const uint32_t *cta_first; /* device d: CTAs cta_first[d] .. cta_first[d + 1] - 1 */
    const struct cta_runs *written;    /* within the array; in any order per CTA */
    const struct transfer_need *needs; /* indexed by device; NULL: each device needs all */
    /* Bytes that each device reads in the same launch, and has; NULL: not known. Small gaps
       between written ranges that no other device writes count as written where they are
       read, since single words would make one range per thread. Not for methods that store
       to the peers exactly what the kernel stores. */
    const struct transfer_need *reads;
    bool by_store; /* for a method whose kernels store to the peers: fills
                      transfer_table.stores */
    bool elide;    /* of a plan that skips transfers: the tables on the devices have the
                      same ranges, without receivers */
    /* Peers of each device that the mechanism reaches, as a bit mask in the sender's
       numbering; NULL: all. The bytes for the other peers are copied pieces. */
    const uint32_t *reached;
};

/* Peers first .. first + count - 1, in the sender's numbering (transfer_peer()). */
struct transfer_peers {
    uint16_t first, count;
};
static inline bool transfer_goes_to(struct transfer_peers to, unsigned peer)
{
    return peer - to.first < to.count; /* unsigned: a smaller peer wraps around */
}
static inline struct transfer_peers transfer_piece_peers(const struct proact_piece *p)
{
    return (struct transfer_peers){p->first_peer, p->peer_count};
}

enum { TRANSFER_GAP_BYTES = 4096 }; /* a longer gap is wide */

/* Chunks that one device counts and sends. Lists and pieces have the format of struct
   proact_slot; chunks without a piece of either kind are in no list. */
struct transfer_table {
    uint32_t cta_count, chunk_count, list_words, piece_count, send_count;
    uint64_t *end;                       /* end bytes of the chunks if their sizes rise;
                                            else NULL */
    uint32_t silent_first, silent_count; /* longest sequence of CTAs with empty lists */
    struct transfer_ctas {  /* Group of CTAs with equal lists, from the end of the
                               previous group to end - 1. */
        uint32_t end, list; /* offset of the list in `chunk` */
    } * ctas;
    uint32_t ctas_count;
    uint32_t *chunk;       /* list_words: the distinct lists, each after its length */
    uint32_t *writers;     /* chunk_count */
    uint32_t *piece_first; /* chunk_count + 1 */
    struct proact_piece *piece;
    /* Copied pieces: for peers out of reach. NULL, both: there are none. No kernel reads
       them. */
    uint32_t *copied_first; /* chunk_count + 1 */
    struct proact_piece *copied;
    uint32_t copied_count;
    struct transfer_send {
        uint64_t first, bytes;
        struct transfer_peers to;
    } * send;                /* pieces, joined across chunk boundaries */
    struct transfer_extent { /* Written ranges with the same peers, in order. */
        uint64_t first, end;
        uint32_t peers;     /* bit mask, in the sender's numbering */
        bool has_gaps;      /* includes bytes that no CTA writes */
        bool has_wide_gaps; /* some gaps are wide */
    } * extent;
    size_t extent_count;
    size_t extent_copies;   /* number of copies, with strided ranges as one (stretches.h) */
    uint32_t peers;         /* union over all extents */
    struct spans owned;     /* bytes, sent or not, with closed gaps (see `reads`) */
    uint64_t owned_bytes;   /* total of `owned` */
    uint64_t bytes, chunks; /* sent; counted once per receiving peer */
    uint64_t copied_bytes, copied_chunks; /* of these, for peers out of reach */
    uint32_t sent_chunks;                 /* chunks that have a piece of either kind */
    /* Peers of stores, if requested, without `peers`. */
    struct proact_stores stores;
    uint32_t *store_peers; /* by CTA; NULL: all stores go to all peers, or not requested */
    uint64_t store_bytes;  /* that the stores send, counted once per receiving peer */
};

/* Whether the chunk has a piece of either kind. */
static inline bool transfer_table_sends(const struct transfer_table *t, uint64_t chunk)
{
    return t->piece_first[chunk + 1] > t->piece_first[chunk] ||
           (t->copied_first && t->copied_first[chunk + 1] > t->copied_first[chunk]);
}

/* Peers of a device that the mechanism reaches. */
static inline uint32_t transfer_table_reached(const struct transfer_table_request *r,
                                              uint32_t device)
{
    return r->reached ? r->reached[device] : (1u << (r->device_count - 1)) - 1;
}

/* Fills tables[0 .. device_count - 1]; clear each afterwards. PROACT_EINVAL: two devices
   would own the same byte. */
enum proact_status transfer_table_build(const struct transfer_table_request *request,
                                        struct transfer_table *tables,
                                        struct proact_error *err);
void transfer_table_clear(struct transfer_table *t); /* a zeroed table is allowed */

/* Writes the first `room` CTAs of the device (its own numbering) that write into the chunk
   to `out`; returns their total number. */
uint32_t transfer_table_writers(const struct transfer_table *t, uint32_t chunk,
                                uint32_t *out, uint32_t room);

/* Offset of each CTA's list, indexed by CTA. */
void transfer_table_first(const struct transfer_table *t, uint32_t *out);

/* Regular table: each CTA c writes into the single chunk (c + ahead) >> regular - 1. 0: the
   table is not regular. */
uint32_t transfer_table_regular(const struct transfer_table *t, uint32_t *ahead);
