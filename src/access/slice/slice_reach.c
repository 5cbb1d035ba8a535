/* SPDX-License-Identifier: Apache-2.0 */
/* Which definitions of a register a use can see. */
#include <stdlib.h>

#include "access/slice/slice.h"

/* Of a block, up to instruction `end`: visits the definitions that are seen behind it, and
   says whether what comes in is, too. */
static bool seen_behind(const struct slice *s, uint32_t reg, uint32_t block, uint32_t end,
                        slice_visit *visit, void *context)
{
    for (uint32_t n = s->definitions.first[reg + 1]; n-- > s->definitions.first[reg];) {
        uint32_t at = s->definitions.items[n]; /* they are in text order */

        if (s->flow->block_of[at] != block || at >= end)
            continue;
        if (visit)
            visit(context, at);
        if (s->f->instructions[at].guard < 0)
            return false;
    }
    return true;
}

bool slice_reaching(const struct slice *s, uint32_t reg, uint32_t use, uint32_t top,
                    slice_visit *visit, void *context)
{
    const struct ptx_flow *flow = s->flow;
    uint32_t *stack = must_calloc(flow->block_count + 1u, sizeof *stack), depth = 0;
    bool *seen = must_calloc(flow->block_count, sizeof *seen);
    uint32_t block = flow->block_of[use], end = use;
    bool above = false;

    /* The block of the use may come twice: up to the use, then, around a loop, whole. */
    for (;;) {
        if (seen_behind(s, reg, block, end, visit, context)) {
            above |= block == top;
            for (uint32_t n = 0; n < flow->blocks[block].predecessor_count; n++) {
                uint32_t from = flow->blocks[block].predecessors[n];

                if (s->reached[from] && !seen[from])
                    stack[depth++] = from;
                seen[from] = true;
            }
        }
        if (!depth)
            break;
        block = stack[--depth];
        end = flow->blocks[block].first + flow->blocks[block].count;
    }
    free(stack);
    free(seen);
    return above;
}
