/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The loops of a function. */

#include "base/memory.h"
#include "ptx/ptx.h"

struct cycle {
    uint32_t header; /* where it starts again */
    bool *contains;  /* by block */
};

/* Each natural loop of the function. Returns whether visit() did of one of them, and asks
   no further. */
typedef bool cycle_visit(void *context, const struct cycle *l);
bool cycle_any(const struct ptx_flow *flow, struct arena *arena, cycle_visit *visit,
               void *context);

/* The blocks of ways around that have several entries, and so are no natural loops, and
   those between two of them; NULL where there are none. */
bool *cycle_tangles(const struct ptx_flow *flow, struct arena *arena);

/* Whether each time around the loop passes the block. */
bool cycle_always_passes(const struct ptx_flow *flow, const struct cycle *l,
                         uint32_t block);
/* Whether the loop can be left behind the block's last instruction. */
bool cycle_is_left(const struct ptx_function *f, const struct ptx_flow *flow,
                   const struct cycle *l, uint32_t block);
/* One time around: it is over where the next one starts, or the loop is left. Successors
   and post-dominators are told, of the loop's blocks. */
const struct ptx_flow *cycle_once(const struct ptx_function *f, const struct ptx_flow *flow,
                                  const struct cycle *l, struct arena *arena);
