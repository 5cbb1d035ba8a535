/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Control flow of a function: its blocks in an order in which definitions precede uses, and
   its natural loops. */

#include "access/access.h"

struct region_loop {
    uint32_t header;
    int32_t parent; /* smallest surrounding loop, -1: none */
    uint32_t size;  /* in blocks */
    bool *contains; /* by block */
};

struct regions {
    const struct ptx_function *function;
    const struct ptx_flow *flow;
    uint32_t *order; /* reverse postorder of the reachable blocks */
    uint32_t order_count;
    int32_t *position;         /* by block: its index in `order`, -1: unreachable */
    struct region_loop *loops; /* inner loops precede the loops around them */
    uint32_t loop_count;
    int32_t *loop_of; /* innermost loop by block, -1: none */
    bool irreducible; /* a cycle has two entries: its values are unknown */
};

struct regions *regions_build(const struct ptx_function *f, struct arena *arena);
bool regions_dominate(const struct regions *r, uint32_t above, uint32_t below);
/* Whether `from` is the only predecessor of the block, back edges excluded. */
bool regions_is_only_way(const struct regions *r, uint32_t from, uint32_t to);
int32_t regions_header_of(const struct regions *r, uint32_t block); /* loop, or -1 */

/* Whether control can get from the loop's header to `to` before a surrounding loop starts
   another iteration. */
bool regions_reach(const struct regions *r, uint32_t loop, uint32_t to);
