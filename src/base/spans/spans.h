/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A set of bytes: spans in order, none of which touches another. Start from zero. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct span {
    uint64_t first, end;
};

struct spans {
    struct span *span;
    size_t count, capacity;
};

void spans_add(struct spans *s, uint64_t first, uint64_t end); /* an empty one is fine */
void spans_join(struct spans *into, const struct spans *of);
/* No more than so many, at least 1: the smallest gaps between them are taken in. */
void spans_coarsen(struct spans *s, size_t most);
/* Gaps of no more bytes, nor (unless `all`) more than the span behind them has, are taken
 * in.
 */
void spans_close(struct spans *s, uint64_t most, bool all);
/* The first span that ends behind `byte`; s->count if there is none. */
size_t spans_from(const struct spans *s, uint64_t byte);
bool spans_meet(const struct spans *a, const struct spans *b); /* in some byte */
/* How many of `a` do, but no more than `most`. */
size_t spans_meetings(const struct spans *a, const struct spans *b, size_t most);
bool range_set_contains(const struct spans *s, const struct spans *all_of);
void spans_clear(struct spans *s);
