/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What is remembered of every byte. Bytes that are treated alike share a cell: a page
   starts as one cell and is split as finely as accesses cut it, so that a large array which
   is written in whole warps or copies costs little. */

#include <stdbool.h>
#include <stdint.h>

/* A moment and who acted then: time above, then whether the access was strong, then the
   actor. 0: never. */
typedef uint64_t check_stamp;
enum { CHECK_ACTOR_BITS = 24 };

static inline check_stamp check_stamp_make(uint64_t time, bool strong, uint32_t actor)
{
    return time << (CHECK_ACTOR_BITS + 1) | (uint64_t)strong << CHECK_ACTOR_BITS | actor;
}

static inline uint64_t check_stamp_time(check_stamp s)
{
    return s >> (CHECK_ACTOR_BITS + 1);
}

static inline bool check_stamp_strong(check_stamp s)
{
    return s >> CHECK_ACTOR_BITS & 1;
}

static inline uint32_t check_stamp_actor(check_stamp s)
{
    return (uint32_t)(s & ((1u << CHECK_ACTOR_BITS) - 1));
}

enum { CHECK_READERS = 2 };

struct check_cell {
    check_stamp write; /* the last one */
    check_stamp alike; /* one that stored the same, of which the last one does not know */
    check_stamp
        read[CHECK_READERS]; /* since then, by readers that do not know each other */
    check_stamp stale;       /* the store into another replica that is not here yet */
    uint32_t write_site, stale_site; /* see check_site() */
    uint32_t content, stale_content; /* whose: see check_issued() */
    uint64_t has_value; /* bool, with nothing behind it: cells are compared as bytes */
};

struct check_shadow;

struct check_shadow *check_shadow_create(uint64_t base, uint64_t bytes);
void check_shadow_destroy(struct check_shadow *s);

/* A part of one page: cells of cell_bytes each, from `address` on. */
struct check_span {
    struct check_cell *cells;
    uint64_t address;
    uint32_t count, cell_bytes;
};

/* The cells of the first bytes of a range, not past its page; cuts cells that stick out.
   The caller goes on at the end of the span. Count 0: outside what is shadowed. */
struct check_span check_shadow_find(struct check_shadow *s, uint64_t address,
                                    uint64_t bytes);

/* The same without making anything: the page as it is cut; no cells (but a count and its
   bytes) where nothing was ever remembered. May begin before `address`. */
struct check_span check_shadow_look(const struct check_shadow *s, uint64_t address);

/* Room to note what was stored at an address of a span: as far as the span goes. */
unsigned char *check_shadow_value(struct check_shadow *s, uint64_t address);

/* Forgets a range. */
void check_shadow_clear(struct check_shadow *s, uint64_t address, uint64_t bytes);

/* A range that was just stored: whole pages of it that are alike become one cell again. */
void check_shadow_unite(struct check_shadow *s, uint64_t address, uint64_t bytes);
