/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Fetch of missing ranges before a launch or a host access. A device with the current bytes
   sends them. Nothing is copied if earlier launches pushed the needed ranges (consumers.h).
   The validity maps are updated accordingly. */

#include <proact/status.h>
#include <stdint.h>

struct launching;
struct proact;
struct proact_array;
struct transfer_need;
struct validity_map;

/* Fetches the missing ranges of `needs`, ordered after all queued operations on the array.
   `needs` has one entry per device; NULL: nothing. */
enum proact_status array_fetch(struct proact_array *a,
                               const struct transfer_need *const *needs,
                               struct proact_error *err);
/* Fetches a range, or every range of every array, to device 0. */
enum proact_status array_fetch_device0(struct proact_array *a, uint64_t first, uint64_t end,
                                       struct proact_error *err);
enum proact_status device0_fetch_all(struct proact *p, struct proact_error *err);
/* Fetches until each device has at least the current ranges that it has in `h`. */
enum proact_status array_fetch_identical(struct proact_array *a,
                                         const struct validity_map *h,
                                         struct proact_error *err);

/* Records the reads of a launch with consumers_note_read(), before any other use of
   them. */
void launch_record_reads(struct launching *l);
/* Fetches all missing ranges of a launch. Later calls for the same launch do nothing. */
enum proact_status launch_fetch(struct launching *l, struct proact_error *err);
/* Update the validity maps after a split launch, and after a single-device launch. */
void launch_written(const struct launching *l);
void launch_written_whole(const struct launching *l);
