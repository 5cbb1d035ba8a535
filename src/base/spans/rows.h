/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Bytes in rows, as a tile of a matrix has them: `count` rows of `bytes`, each `pitch`
   behind the one before it, which ends before that. A single one has pitch 0. */

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

/* Whether what lies behind them is their next row: it is one of them then. */
static inline bool rows_go_on(struct rows *r, uint64_t first, uint64_t bytes)
{
    const uint64_t pitch = first + bytes - rows_end(r);

    if (bytes != r->bytes || r->count == UINT32_MAX || (r->count > 1 && pitch != r->pitch))
        return false;
    r->pitch = pitch;
    r->count++;
    return true;
}

/* Bytes between rows that are better taken along than told apart. */
enum { ROWS_GAP_NARROW = 64 };

/* Each row with that of `next` behind it, over the same gap of at most so many bytes. */
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

/* All of them, with such gaps between them. */
static inline bool rows_close(struct rows *r, uint64_t most)
{
    if (r->count == 1 || r->pitch - r->bytes > most)
        return false;
    *r = rows_one(r->first, rows_end(r) - r->first);
    return true;
}

/* What many rows are together, as few as are seen to be one thing. Start from zero; free()
   the rows. */
struct rows_list {
    struct rows *rows;
    size_t count, capacity;
    size_t turn, begun; /* rows_gather_turns(): who may go on next, and first in a turn */
};
/* One behind the other, apart: as if each row came by itself. */
void rows_append(struct rows_list *l, struct rows r);
void rows_gather(struct rows_list *l, const struct rows *r); /* best in their order */
void rows_gathered(struct rows_list *l);                     /* behind the last */
/* What comes in turns, as tiles of some planes do, is gathered plane by plane: it may
   become part of an earlier one. Their order says nothing then. */
void rows_gather_turns(struct rows_list *l, const struct rows *r);

/* What is there `count` times, each time `step` bytes behind the time before (modulo 2^64),
   if that is one thing. */
bool rows_join(const struct rows *one, uint32_t count, uint64_t step, struct rows *out);

/* From `at` on, row by row. */
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
