/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Maps of the user: copy, and enumeration of the bytes of a CTA. */

#include <proact/program.h>

#include "base/spans/rows.h"

struct cta_runs;

/* Copies what the map borrows, after a look at it. `kernel` is for messages. */
enum proact_status map_copy(const struct proact_map *map, const char *kernel,
                            struct proact_map *out, struct proact_error *err);
void map_clear(struct proact_map *map);
struct map_use {
    const struct proact_map *map;
    const uint32_t *grid;
    uint64_t array_bytes;
};
/* Emits the bytes of one CTA; what begins beyond the array may be left out. */
typedef void map_sink(void *sink, const struct rows *rows);
void map_emit(const struct map_use *u, uint32_t cta, map_sink *emit, void *sink);
/* All CTAs', into a zeroed one; false if there are more rows than can be counted. */
bool map_runs(const struct map_use *u, uint32_t ctas, struct cta_runs *out);

/* The same, clipped to the array, by place, and none twice. From zero; free `range`. */
struct map_ranges {
    struct proact_range *range;
    size_t count, capacity;
    uint64_t array_bytes;
};
void map_list(const struct map_use *u, uint32_t cta, struct map_ranges *out);
