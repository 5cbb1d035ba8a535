/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Missing bytes of a launch, as an input of the decision between split and single-device
   launch. */

#include <stdbool.h>
#include <stdint.h>

#include "runtime/validity/transition_cache.h"

struct choice;
struct launching;
struct proact_array;
struct transfer_need;

/* Missing bytes if the launch is split (it has a binding) or runs on one device.
   `by_launches` counts the bytes that would be current if their writer had run in the same
   mode; `visit`, if not NULL, receives each such writer. `of_split` counts the bytes last
   written by a split launch. */
struct transfer_cost {
    uint64_t bytes, by_launches, of_split;
};
typedef void missing_visitor(void *context, struct choice *wrote, uint64_t bytes);
struct transfer_cost launch_missing_bytes(struct launching *l, bool is_whole,
                                          missing_visitor *visit, void *context);
/* Copies by which a split launch fetches what split launches wrote. */
struct transfer_copies {
    uint64_t bytes, copies;
};
struct transfer_copies launch_missing_copies(struct launching *l);
/* Whether device 0 has all bytes of the launch's arrays. */
bool launch_device0_is_current(const struct launching *l);
/* Missing bytes of one array in a split launch with the given needs, whose transition key
   is `key`. */
uint64_t array_missing_bytes(struct proact_array *a,
                             const struct transfer_need *const *needs,
                             struct transition_key key);
