/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Stretches of an array, no two of which overlap, on their way from one replica to another:
   many of equal length that lie equally far apart are one copy of rows. */

#include "base/spans/rows.h"
#include "device/device.h"

struct stretch {
    uint64_t first, bytes;
};
struct stretches {
    const struct device_backend *backend;
    struct device_stream *stream;
    device_addr to, from; /* the replicas */
    struct stretch *at;
    size_t count, capacity;
};

/* How many rows of `period` stretches each begin there, at least 1, if there are any: equal
   ones, equally far apart. Together they are `period` copies. */
size_t stretches_rows(const struct stretch *at, size_t count, size_t *period);
/* The rows behind `out`; what is no part of any is a row. */
void stretches_gather(const struct stretch *at, size_t count, struct rows_list *out);

/* From replica to replica. */
enum proact_status stretches_copy_rows(const struct stretches *s, const struct rows *r,
                                       struct proact_error *err);
void stretches_add(struct stretches *s, uint64_t first, uint64_t bytes);
/* Queues the copies, in an order of its own, and forgets the stretches. */
enum proact_status stretches_copy(struct stretches *s, struct proact_error *err);
