/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Decomposition of a byte offset into dimensions: by products of parameters in its terms,
   by constant strides where two grid dimensions meet, or by a declared shape. */

#include "access/pattern/pattern_class.h"

/* Products of parameters that multiply a varying term in some access of the kernel. */
struct split_keys {
    struct access_term *keys;
    uint32_t count;
};

struct split {
    uint32_t count;
    struct access_axis axes[ACCESS_AXES_MAX];
    bool is_proven;
    const char *reason;
};

struct splitter {
    const struct access_analysis *analysis;
    const struct access_launch *launch; /* NULL: any */
    const int64_t *trips;
    struct forms forms;
    struct split_keys keys;
};

struct split_keys split_keys_find(const struct access_analysis *a, struct arena *arena);

/* Splits the offset of a record. `shape` may be NULL. */
struct split split_record(struct splitter *s, const struct access_record *r,
                          uint32_t element_bytes, const struct access_shape *shape);
