/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What a launch would lack of what it touches, on the devices where it would run. */

#include "runtime/coherence/array_validity.h"
#include "runtime/coherence/transition_cache.h"
#include "runtime/launch/launching.h"

/* The bytes of it, split (of a launch with a binding) or whole, and those of them that it
   would not if the launches that wrote them, of which it is chosen how they run, had run
   the same way: of these `visit`, if not NULL, is told; and those of arrays that a split
   launch wrote last. */
struct transfer_cost {
    uint64_t bytes, by_launches, of_split;
};
typedef void missing_visitor(void *context, struct choice *wrote, uint64_t bytes);
struct transfer_cost launch_missing_bytes(struct launching *l, bool is_whole,
                                          missing_visitor *visit, void *context);
/* Of one array, split: what devices lack of these needs, which have the key. */
uint64_t array_missing_bytes(struct proact_array *a,
                             const struct transfer_need *const *needs,
                             struct transition_key key);
