/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Validity map: for each byte of an array, the devices whose replica is current. At least
   one replica is always current. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/spans/spans.h"

struct validity_map {
    struct validity_entry {
        uint64_t end;     /* starts at the end of the preceding entry */
        uint32_t devices; /* one bit per device; adjacent entries differ */
    } * piece;
    size_t count, capacity;
    const struct interned_map *value; /* the interned map that owns `piece`; NULL: this map
                                         owns it */
};

/* Interned map: an immutable value that several validity maps share and that outlives them.
   A validity map copies the entries before it changes. */
struct interned_map {
    struct validity_entry *piece;
    size_t count;
    uint64_t digest;
    uint32_t whole; /* devices with every byte current */
};
/* Makes `h` share the interned map. */
void validity_take_interned(struct validity_map *h, const struct interned_map *v);
/* Creates an interned map from `h`, which then shares it. The caller frees out->piece. */
void validity_intern(struct validity_map *h, uint64_t digest, struct interned_map *out);
bool validity_equals_interned(const struct validity_map *h, const struct interned_map *v);
uint64_t validity_digest(const struct validity_map *h);

/* Marks `bytes` bytes (not 0) as current on `devices`. */
void validity_init(struct validity_map *h, uint64_t bytes, uint32_t devices);
void validity_clear(struct validity_map *h);
void validity_copy(struct validity_map *to, const struct validity_map *from);

/* Marks a range as current on `devices` only, after a write. */
void validity_set(struct validity_map *h, uint64_t first, uint64_t end, uint32_t devices);
/* Marks a range as also current on `devices`, after a transfer. */
void validity_add(struct validity_map *h, uint64_t first, uint64_t end, uint32_t devices);

/* The same for ascending, disjoint ranges. One pass replaces a move of all later entries
   per range. */
struct validity_range {
    uint64_t first, end;
};
void validity_add_ranges(struct validity_map *h, const struct validity_range *range,
                         size_t count, uint32_t devices);
void validity_set_ranges(struct validity_map *h, const struct validity_range *range,
                         size_t count, uint32_t devices);

/* Visits, in ascending order, each part of the spans where (devices & mask) differs from
   `devices`. The cost is proportional to the smaller of spans and entries, plus the
   visits. */
typedef void validity_visitor(void *context, uint64_t first, uint64_t end,
                              uint32_t devices);
struct validity_query {
    uint32_t mask, devices;
    validity_visitor *visit;
    void *context;
};
void validity_each_mismatch(const struct validity_map *h, const struct spans *spans,
                            const struct validity_query *u);

/* Index of the entry that contains the byte. */
size_t validity_find(const struct validity_map *h, uint64_t byte);
/* Whether the range lies in one entry and exactly `devices` are current. */
bool validity_is_exactly(const struct validity_map *h, uint64_t first, uint64_t end,
                         uint32_t devices);
/* Whether the range is current on each of `devices`. */
bool validity_contains(const struct validity_map *h, uint64_t first, uint64_t end,
                       uint32_t devices);
/* Whether the entire array is current on each of `devices`. */
bool validity_everywhere(const struct validity_map *h, uint32_t devices);
