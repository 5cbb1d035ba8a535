/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What a device is about to read is brought to it, from a device that holds it, as far as
   it is not there: nothing, where launches sent what was needed while they ran
   (consumers.h). And who holds what afterwards. */

#include "runtime/coherence/array_validity.h"
#include "runtime/derive/needs.h"

/* Behind all that was queued for the array so far. `needs`: by device, NULL for nothing. */
enum proact_status array_fetch(struct proact_array *a,
                               const struct transfer_need *const *needs,
                               struct proact_error *err);
/* To the first device: some bytes, or everything of every array. */
enum proact_status array_fetch_device0(struct proact_array *a, uint64_t first, uint64_t end,
                                       struct proact_error *err);
enum proact_status device0_fetch_all(struct proact *p, struct proact_error *err);
/* So that all hold what these do. */
enum proact_status array_fetch_identical(struct proact_array *a,
                                         const struct validity_map *h,
                                         struct proact_error *err);

/* What a launch will read, ahead of all else about it. */
void launch_record_reads(struct launching *l);
/* All that a launch reads; once. */
enum proact_status launch_fetch(struct launching *l, struct proact_error *err);
/* By a split launch; by one on the first device. */
void launch_written(const struct launching *l);
void launch_written_whole(const struct launching *l);
