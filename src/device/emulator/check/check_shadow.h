/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Shadow state of each byte. Bytes with equal state share a cell: a page starts as one cell
   and is split only as finely as accesses require. Arrays written by full warps or by
   copies therefore have few cells. */

#include <stdbool.h>
#include <stdint.h>

/* Time, strength and actor of an access; time in the high bits, actor in the low bits. 0:
   none. */
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
    check_stamp write; /* last write */
    check_stamp alike; /* write of an equal value that the last write does not know */
    check_stamp
        read[CHECK_READERS]; /* reads since then, by readers that do not know each other */
    check_stamp stale;       /* store into another replica whose transfer has not arrived */
    uint32_t write_site, stale_site; /* see check_site() */
    uint32_t content, stale_content; /* operation numbers of the content, see
                                        check_issued() */
    uint32_t compared;               /* launch of its last compare-and-swap */
    uint32_t has_value; /* bool, padded to full size: cells are compared as bytes */
};

struct check_shadow;

struct check_shadow *check_shadow_create(uint64_t base, uint64_t bytes);
void check_shadow_destroy(struct check_shadow *s);

/* Part of one page: cells of cell_bytes each, from `address` on. */
struct check_span {
    struct check_cell *cells;
    uint64_t address;
    uint32_t count, cell_bytes;
};

/* Cells of the start of a range within one page; splits cells that exceed the range. The
   caller continues at the end of the span. Count 0: outside of the shadow. */
struct check_span check_shadow_find(struct check_shadow *s, uint64_t address,
                                    uint64_t bytes);

/* The same without changes: the page's current cells, which may begin before `address`;
   NULL cells, with count and size, for a page without state. */
struct check_span check_shadow_look(const struct check_shadow *s, uint64_t address);

/* Storage for the values of a span, from the given address to its end. */
unsigned char *check_shadow_value(struct check_shadow *s, uint64_t address);

/* Clears a range. */
void check_shadow_clear(struct check_shadow *s, uint64_t address, uint64_t bytes);

/* Joins the cells of each complete page in a stored range whose state is equal. */
void check_shadow_unite(struct check_shadow *s, uint64_t address, uint64_t bytes);
