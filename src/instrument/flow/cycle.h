/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Natural loops of a function. */

#include "base/memory.h"
#include "ptx/ptx.h"

struct cycle {
    uint32_t header; /* the block at which each iteration starts */
    bool *contains;  /* by block */
};

/* Calls visit() for each natural loop of the function until one call returns true. Returns
   whether a call returned true. */
typedef bool cycle_visit(void *context, const struct cycle *l);
bool cycle_any(const struct ptx_flow *flow, struct arena *arena, cycle_visit *visit,
               void *context);

/* Blocks of irreducible cycles, which have several entries, and the blocks between two such
   cycles. NULL if there are none. The array is allocated in `arena`. */
bool *cycle_tangles(const struct ptx_flow *flow, struct arena *arena);

/* True if every iteration of the loop executes the block. */
bool cycle_always_passes(const struct ptx_flow *flow, const struct cycle *l,
                         uint32_t block);
/* True if the loop can end at the last instruction of the block. */
bool cycle_is_left(const struct ptx_function *f, const struct ptx_flow *flow,
                   const struct cycle *l, uint32_t block);
/* Flow graph of one iteration, which ends at the header or at an exit of the loop. Only the
   blocks of the loop have successors and post-dominators. */
const struct ptx_flow *cycle_once(const struct ptx_function *f, const struct ptx_flow *flow,
                                  const struct cycle *l, struct arena *arena);
