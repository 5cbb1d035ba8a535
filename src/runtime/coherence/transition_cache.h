/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Arrays of many pieces. What a launch needs of one, or leaves of it, is the same when it
   comes again, and so is who then holds what, if that was the same before. So values that
   the holdings had are kept, and the steps from one to another: a loop costs a look a
   launch, however many pieces there are, and only what is new is found piece by piece. */

#include "runtime/coherence/missing.h"

/* Of what a step is: needs, or tables, by a number that nothing else has in the session
   (launch_needs.number, kernel_tables.number), and which array of theirs. */
struct transition_key {
    uint64_t number;
    uint32_t array;
};

/* Whether it may take longer to go through so many stretches, and the array's pieces, than
   to look for the step. */
bool transitions_are_worthwhile(struct proact_array *a, size_t stretches);

struct transition;
/* From what the array's holdings are now; NULL: it is not known. */
const struct transition *transition_find(struct proact_array *a, struct transition_key key);
const struct missing_ranges *transition_missing(const struct transition *s);
/* The holdings become what they are behind it. */
void transition_apply(struct proact_array *a, const struct transition *s);

/* Ahead of one that is not known. What is found in between is kept, without its
   stretches, by transition_end(). */
void transition_begin(struct proact_array *a);
void transition_end(struct proact_array *a, struct transition_key key,
                    struct missing_ranges *take_missing);

void transition_cache_destroy(struct proact_array *a);
