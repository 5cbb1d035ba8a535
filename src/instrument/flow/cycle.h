/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The loops around a block. */

#include "base/memory.h"
#include "ptx/ptx.h"

struct cycle {
    uint32_t header; /* where it starts again */
    bool *contains;  /* by block */
};

/* Of the natural loops around the block the innermost comes first. Returns whether visit()
   did of one of them, and asks no further. */
typedef bool cycle_visit(void *context, const struct cycle *l);
bool cycle_any_around(const struct ptx_flow *flow, uint32_t block, struct arena *arena,
                      cycle_visit *visit, void *context);

/* The blocks of a way around through the block that has several entries, and so is no
   natural loop; NULL where there is none. */
bool *cycle_tangle(const struct ptx_flow *flow, uint32_t block, struct arena *arena);

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
