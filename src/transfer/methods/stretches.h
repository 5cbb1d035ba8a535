/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Disjoint ranges of an array to copy from one replica to another. Ranges of equal length
   at constant distances become one strided copy. */

#include "base/spans/rows.h"
#include "device/device.h"

struct stretch {
    uint64_t first, bytes;
};
struct stretches {
    const struct device_backend *backend;
    struct device_stream *stream;
    device_addr to, from; /* base addresses of the replicas */
    struct stretch *at;
    size_t count, capacity;
};

/* Length of the strided ranges that start at each of the first `period` ranges; at least 1
   unless there are none. Together they are `period` copies. */
size_t stretches_rows(const struct stretch *at, size_t count, size_t *period);
/* Appends strided ranges to `out`; a range that belongs to none becomes one of count 1. */
void stretches_gather(const struct stretch *at, size_t count, struct rows_list *out);

/* Copies a strided range between the replicas. */
enum proact_status stretches_copy_rows(const struct stretches *s, const struct rows *r,
                                       struct proact_error *err);
void stretches_add(struct stretches *s, uint64_t first, uint64_t bytes);
/* Queues the copies in any order and empties the list. */
enum proact_status stretches_copy(struct stretches *s, struct proact_error *err);
