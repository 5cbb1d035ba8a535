/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Ranges of bytes as they come in from one CTA, and those of all CTAs. */

#include <proact/proact.h>
#include <stddef.h>
#include <stdint.h>

/* Of one CTA and one array. Start from zero. */
struct write_set_spans {
    struct write_set_span {
        uint64_t first, end;
    } * spans;
    size_t count, capacity;
    size_t merge_at; /* how many are too many */
};

/* What continues the last span, or lies in it, makes no new one. */
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
