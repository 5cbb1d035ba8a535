/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Which devices hold the current content of an array's bytes. Some device always does. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/spans/spans.h"

struct validity_map {
    struct validity_entry {
        uint64_t end;     /* it begins where the one before it ends */
        uint32_t devices; /* a bit each; neighbours differ */
    } * piece;
    size_t count, capacity;
    const struct interned_map *value; /* whose pieces they are; NULL: their own */
};

/* What holdings were once, and may be again: it stays as it is, and outlasts all holdings
   that are it. These have pieces of their own again as soon as they change. */
struct interned_map {
    struct validity_entry *piece;
    size_t count;
    uint64_t digest;
    uint32_t whole; /* the devices that hold everything */
};
/* They become it. */
void validity_take_interned(struct validity_map *h, const struct interned_map *v);
/* It is made of their pieces, and they become it; free() these. */
void validity_intern(struct validity_map *h, uint64_t digest, struct interned_map *out);
bool validity_equals_interned(const struct validity_map *h, const struct interned_map *v);
uint64_t validity_digest(const struct validity_map *h);

/* All of `bytes`, not 0. */
void validity_init(struct validity_map *h, uint64_t bytes, uint32_t devices);
void validity_clear(struct validity_map *h);
void validity_copy(struct validity_map *to, const struct validity_map *from);

/* From now on just these devices hold the bytes: they were written. */
void validity_set(struct validity_map *h, uint64_t first, uint64_t end, uint32_t devices);
/* These do, too: the bytes were sent to them. */
void validity_add(struct validity_map *h, uint64_t first, uint64_t end, uint32_t devices);

/* So of many ranges, which are in order and apart: at once, for each by itself moves what
   is behind it. */
struct validity_range {
    uint64_t first, end;
};
void validity_add_ranges(struct validity_map *h, const struct validity_range *range,
                         size_t count, uint32_t devices);
void validity_set_ranges(struct validity_map *h, const struct validity_range *range,
                         size_t count, uint32_t devices);

/* Told of each stretch of the spans that just `devices` of those in `mask` do not hold, in
   order: at the cost of what there is less of, spans or pieces, and of what is told. */
typedef void validity_visitor(void *context, uint64_t first, uint64_t end,
                              uint32_t devices);
struct validity_query {
    uint32_t mask, devices;
    validity_visitor *visit;
    void *context;
};
void validity_each_mismatch(const struct validity_map *h, const struct spans *spans,
                            const struct validity_query *u);

/* The piece with that byte. */
size_t validity_find(const struct validity_map *h, uint64_t byte);
/* Whether just these hold the bytes, which are one piece then, or part of one. */
bool validity_is_exactly(const struct validity_map *h, uint64_t first, uint64_t end,
                         uint32_t devices);
/* Whether all of these hold all of the bytes. */
bool validity_contains(const struct validity_map *h, uint64_t first, uint64_t end,
                       uint32_t devices);
/* Whether all of these devices hold everything. */
bool validity_everywhere(const struct validity_map *h, uint32_t devices);
