/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The function's blocks in an order in which definitions come before uses, and its natural
   loops. */

#include "access/access.h"

struct region_loop {
    uint32_t header;
    int32_t parent; /* smallest loop around it, -1 for none */
    uint32_t size;  /* in blocks */
    bool *contains; /* by block */
};

struct regions {
    const struct ptx_function *function;
    const struct ptx_flow *flow;
    uint32_t *order; /* reverse postorder of the blocks that can be reached */
    uint32_t order_count;
    int32_t *position;         /* in the order by block, -1 where none */
    struct region_loop *loops; /* inner ones before those around them */
    uint32_t loop_count;
    int32_t *loop_of; /* innermost by block, -1 for none */
    bool irreducible; /* a cycle has two entries: nothing can be said of its values */
};

struct regions *regions_build(const struct ptx_function *f, struct arena *arena);
bool regions_dominate(const struct regions *r, uint32_t above, uint32_t below);
/* Whether `from` is the only way to the block but for back edges to it. */
bool regions_is_only_way(const struct regions *r, uint32_t from, uint32_t to);
int32_t regions_header_of(const struct regions *r, uint32_t block); /* loop, or -1 */

/* Whether control can get from the loop's header to `to` before any loop around it starts
   another iteration. */
bool regions_reach(const struct regions *r, uint32_t loop, uint32_t to);
