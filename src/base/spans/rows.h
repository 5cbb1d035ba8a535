/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Strided range, such as a tile of a matrix: `count` rows of `bytes` bytes at a distance of
   `pitch`. Rows do not overlap. A single row has pitch 0. */

#include "base/spans/spans.h"

struct rows {
    uint64_t first, bytes, pitch;
    uint32_t count;
};

static inline struct rows rows_one(uint64_t first, uint64_t bytes)
{
    return (struct rows){first, bytes, 0, 1};
}

static inline uint64_t rows_end(const struct rows *r)
{
    return r->first + (r->count - 1) * r->pitch + r->bytes;
}

/* Extends the strided range by one row if the given range is its next row. */
static inline bool rows_go_on(struct rows *r, uint64_t first, uint64_t bytes)
{
    const uint64_t pitch = first + bytes - rows_end(r);

    if (bytes != r->bytes || r->count == UINT32_MAX || (r->count > 1 && pitch != r->pitch))
        return false;
    r->pitch = pitch;
    r->count++;
    return true;
}

/* Largest gap between rows that is cheaper to include than to keep separate. */
enum { ROWS_GAP_NARROW = 64 };

/* Merges `next` into each row, if the gap is the same for all rows and at most `most`
   bytes. */
static inline bool rows_bridge(struct rows *r, const struct rows *next, uint64_t most)
{
    const uint64_t gap = next->first - (r->first + r->bytes);

    if (gap > most || r->count != next->count ||
        (r->count > 1 &&
         (r->pitch != next->pitch || r->bytes + gap + next->bytes > r->pitch)))
        return false;
    r->bytes += gap + next->bytes;
    return true;
}

/* Merges all rows into one range, if the gaps between them have at most `most` bytes. */
static inline bool rows_close(struct rows *r, uint64_t most)
{
    if (r->count == 1 || r->pitch - r->bytes > most)
        return false;
    *r = rows_one(r->first, rows_end(r) - r->first);
    return true;
}

/* List of strided ranges, merged as far as recognized. A list starts zeroed; release `rows`
   with free(). */
struct rows_list {
    struct rows *rows;
    size_t count, capacity;
    size_t turn, begun; /* rows_gather_turns(): candidate for the next extension, and first
                           of a turn */
};
/* Appends to an ordered, disjoint list, with the same result as row by row. */
void rows_append(struct rows_list *l, struct rows r);
void rows_gather(struct rows_list *l, const struct rows *r); /* merges best in ascending
                                                                order */
void rows_gathered(struct rows_list *l);                     /* call after the last
                                                                rows_gather() */
/* Merges ranges that arrive in turns, such as tiles of several planes, plane by plane. A
   range may extend an earlier one, so the list is not ordered afterwards. */
void rows_gather_turns(struct rows_list *l, const struct rows *r);

/* Union of `count` copies of a strided range at distances of `step` bytes (modulo 2^64).
   Returns false if it is not a strided range. */
bool rows_join(const struct rows *one, uint32_t count, uint64_t step, struct rows *out);

/* Iterator over single rows, from `at` on. */
struct rows_walk {
    const struct rows *at, *end;
    uint32_t row;
};
static inline bool rows_next(struct rows_walk *w, struct span *out)
{
    if (w->at == w->end)
        return false;
    out->first = w->at->first + w->row * w->at->pitch;
    out->end = out->first + w->at->bytes;
    if (++w->row == w->at->count) {
        w->row = 0;
        w->at++;
    }
    return true;
}
