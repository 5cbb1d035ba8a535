/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Transition cache. A column decomposition splits a validity map into thousands of ranges,
   too many to walk at every launch. Maps are therefore interned. The cache maps (map
   before, needs or tables of a launch) to (map after, missing ranges). A repeated launch
   costs one lookup per array. If transitions do not repeat, caching pauses for some
   lookups. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct proact_array;

/* Key of a transition: the id of needs or tables (launch_needs.number,
   kernel_tables.number), which is unique in the session, and an array index in them. */
struct transition_key {
    uint64_t number;
    uint32_t array;
};

/* Whether a lookup is likely cheaper than a walk over the ranges and the map. */
bool transitions_are_worthwhile(struct proact_array *a, size_t stretches);

struct transition;
/* Transition of the array's current map; NULL: not cached. */
const struct transition *transition_find(struct proact_array *a, struct transition_key key);
const struct missing_ranges *transition_missing(const struct transition *s);
/* Sets the validity map to the state after the transition. */
void transition_apply(struct proact_array *a, const struct transition *s);

/* transition_begin() precedes the computation of an unknown transition. transition_end()
   stores the result, and takes the copies of `take_missing`, not its ranges. */
void transition_begin(struct proact_array *a);
void transition_end(struct proact_array *a, struct transition_key key,
                    struct missing_ranges *take_missing);

void transition_cache_destroy(struct proact_array *a);
