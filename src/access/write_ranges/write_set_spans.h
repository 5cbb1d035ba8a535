/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Collection of byte ranges in the order of the stores. */

#include <proact/proact.h>
#include <stddef.h>
#include <stdint.h>

/* Ranges of one CTA and one array. Starts zeroed. */
struct write_set_spans {
    struct write_set_span {
        uint64_t first, end;
    } * spans;
    size_t count, capacity;
    size_t merge_at; /* number that triggers a merge */
};

/* Extends the last range by an adjacent or overlapping one; false if a new range is
   necessary. */
static inline bool write_set_spans_extend(struct write_set_spans *s, uint64_t first,
                                          uint64_t end)
{
    struct write_set_span *last = s->count ? &s->spans[s->count - 1] : NULL;

    if (!last || first < last->first || first > last->end)
        return false;
    if (end > last->end)
        last->end = end;
    return true;
}

void write_set_spans_add(struct write_set_spans *s, uint64_t first, uint64_t end);
void write_set_spans_merge(struct write_set_spans *s); /* sorted, none adjacent */
void write_set_spans_clear(struct write_set_spans *s);
