/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A state of the loop on the host: what the iterations before it left. */

#include "graph/repeat.h"

/* Starts zeroed. */
struct repeat_saved {
    unsigned done; /* iterations before the run, from a checkpoint */
    void *array[REPEAT_STATES_MAX];
    size_t pair_count;
    struct sum_pair *pairs;
    struct repeat_state look;
};

/* Allocates the state if the loop has checkpoints, and loads the one that it starts from.
   PROACT_EINVAL: it ends no batch, or exceeds the number of iterations. */
enum proact_status repeat_saved_load(struct repeat_saved *s, const struct repeat *r,
                                     size_t pair_count, struct proact_error *err);
/* Saves the state at the end of a batch: the next iteration is even and reads `sums`. */
enum proact_status repeat_saved_save(struct repeat_saved *s, const struct repeat *r,
                                     struct proact_array *sums,
                                     const struct repeat_state *now,
                                     struct proact_error *err);
/* Writes the arrays of the application. */
enum proact_status repeat_saved_restore(const struct repeat_saved *s,
                                        const struct repeat *r, struct proact_error *err);
void repeat_saved_clear(struct repeat_saved *s);
