/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Missing ranges: the needed ranges of an array that are not current on their device, and
   which device sends it. */

#include <proact/proact.h>

#include "base/spans/rows.h"

struct transfer_need;

/* One missing range with its sender and receiver. */
struct missing_range {
    unsigned from, to;
    uint64_t first, end;
};
/* Copies of missing ranges, ordered by sender, then by receiver. Equal ranges at a constant
   distance form one strided copy. */
struct missing_copy {
    unsigned from, to;
    struct rows rows;
};
struct missing_ranges {
    struct missing_copy *copy;
    size_t count, capacity;
    uint32_t receivers[PROACT_DEVICES_MAX]; /* per sender: set of receivers */
    uint64_t bytes;                /* missing bytes, without gaps that are copied with
                                      them */
    struct missing_range *stretch; /* in ascending order per receiver; freed by
                                      missing_record() */
    size_t stretch_count, stretch_capacity;
};

/* `needs` has one entry per device; NULL: nothing. `out` starts zeroed. */
void missing_find(const struct proact_array *a, const struct transfer_need *const *needs,
                  struct missing_ranges *out);
/* Marks the ranges as current on their receivers, after the copies were queued. */
void missing_record(struct proact_array *a, struct missing_ranges *l);
void missing_clear(struct missing_ranges *l);
