/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Maps of the user: copy, and enumeration of the bytes of a CTA. */

#include <proact/program.h>

#include "base/spans/rows.h"

struct cta_runs;

/* Checks a map and copies the memory that it borrows. Messages name `kernel`. */
enum proact_status map_copy(const struct proact_map *map, const char *kernel,
                            struct proact_map *out, struct proact_error *err);
void map_clear(struct proact_map *map);
struct map_use {
    const struct proact_map *map;
    const uint32_t *grid;
    uint64_t array_bytes;
};
/* Emits the ranges of one CTA. Ranges that begin after the array may be omitted. */
typedef void map_sink(void *sink, const struct rows *rows);
void map_emit(const struct map_use *u, uint32_t cta, map_sink *emit, void *sink);
/* Emits all CTAs into a zeroed `out`; false: too many ranges. */
bool map_runs(const struct map_use *u, uint32_t ctas, struct cta_runs *out);

/* Ranges of one CTA, clipped to the array, sorted and disjoint. Zeroed at first; the caller
   frees `range`. */
struct map_ranges {
    struct proact_range *range;
    size_t count, capacity;
    uint64_t array_bytes;
};
void map_list(const struct map_use *u, uint32_t cta, struct map_ranges *out);
