/* SPDX-License-Identifier: Apache-2.0 */
#include "instrument/flow/cycle.h"

#include "ptx/ptx_dominators.h"

static bool is_latch(const struct ptx_flow *flow, uint32_t header, uint32_t block)
{
    const struct ptx_block *b = &flow->blocks[block];

    for (uint32_t s = 0; s < b->successor_count; s++)
        if (b->successors[s] == header)
            return ptx_dominates(flow, header, block);
    return false;
}

/* Adds the header and all blocks that reach the latch without passing the header. */
static void add_body(const struct ptx_flow *flow, uint32_t header, uint32_t latch,
                     bool *contains, struct arena *arena)
{
    uint32_t *open = arena_alloc(arena, (flow->block_count + 1) * sizeof *open);
    uint32_t count = 0;

    contains[header] = true;
    if (!contains[latch])
        open[count++] = latch;
    contains[latch] = true;
    while (count) {
        const struct ptx_block *b = &flow->blocks[open[--count]];

        for (uint32_t p = 0; p < b->predecessor_count; p++)
            if (!contains[b->predecessors[p]] &&
                ptx_dominates(flow, header, b->predecessors[p])) {
                contains[b->predecessors[p]] = true;
                open[count++] = b->predecessors[p];
            }
    }
}

bool cycle_any(const struct ptx_flow *flow, struct arena *arena, cycle_visit *visit,
               void *context)
{
    for (uint32_t h = 0; h < flow->block_count; h++) {
        struct cycle l = {.header = h};

        for (uint32_t p = 0; p < flow->blocks[h].predecessor_count; p++) {
            const uint32_t latch = flow->blocks[h].predecessors[p];

            if (!is_latch(flow, h, latch))
                continue;
            if (!l.contains)
                l.contains =
                    arena_alloc(arena, (flow->block_count + 1) * sizeof *l.contains);
            add_body(flow, h, latch, l.contains, arena);
        }
        if (l.contains && visit(context, &l))
            return true;
    }
    return false;
}

static bool is_entered(const struct ptx_flow *flow, const bool *within, uint32_t block)
{
    const struct ptx_block *b = &flow->blocks[block];

    for (uint32_t p = 0; p < b->predecessor_count; p++)
        if (within[b->predecessors[p]] && !ptx_dominates(flow, block, b->predecessors[p]))
            return true;
    return false;
}

static bool goes_on(const struct ptx_flow *flow, const bool *within, uint32_t block)
{
    const struct ptx_block *b = &flow->blocks[block];

    for (uint32_t s = 0; s < b->successor_count; s++)
        if (within[b->successors[s]])
            return true;
    return false;
}

/* Without the back edges of natural loops, a reducible graph is acyclic. Blocks without a
   predecessor or a successor are removed repeatedly; the rest are irreducible cycles. */
bool *cycle_tangles(const struct ptx_flow *flow, struct arena *arena)
{
    bool *left = arena_alloc(arena, (flow->block_count + 1) * sizeof *left);
    bool changed = true, tangled = false;

    for (uint32_t b = 0; b < flow->block_count; b++)
        left[b] = true;
    while (changed) {
        changed = false;
        for (uint32_t b = 0; b < flow->block_count; b++)
            if (left[b] && !(is_entered(flow, left, b) && goes_on(flow, left, b))) {
                left[b] = false;
                changed = true;
            }
    }
    for (uint32_t b = 0; b < flow->block_count; b++)
        tangled |= left[b];
    return tangled ? left : NULL;
}

bool cycle_always_passes(const struct ptx_flow *flow, const struct cycle *l, uint32_t block)
{
    for (uint32_t b = 0; b < flow->block_count; b++)
        if (l->contains[b] && is_latch(flow, l->header, b) &&
            !ptx_dominates(flow, block, b))
            return false;
    return l->contains[block];
}

/* A branch past the function's end has no target block. */
bool cycle_is_left(const struct ptx_function *f, const struct ptx_flow *flow,
                   const struct cycle *l, uint32_t block)
{
    const struct ptx_block *b = &flow->blocks[block];
    const struct ptx_instruction *last = &f->instructions[b->first + b->count - 1];

    for (uint32_t s = 0; s < b->successor_count; s++)
        if (!l->contains[b->successors[s]])
            return true;
    return ptx_opcode_ends_thread(last->opcode) ||
           (last->opcode == PTX_BRA && last->guard >= 0 && b->successor_count < 2);
}

const struct ptx_flow *cycle_once(const struct ptx_function *f, const struct ptx_flow *flow,
                                  const struct cycle *l, struct arena *arena)
{
    struct ptx_flow *once = arena_alloc(arena, sizeof *once);
    bool *leaves = arena_alloc(arena, (flow->block_count + 1) * sizeof *leaves);

    once->block_count = flow->block_count;
    once->blocks = arena_alloc(arena, (flow->block_count + 1) * sizeof *once->blocks);
    for (uint32_t b = 0; b < flow->block_count; b++) {
        const struct ptx_block *from = &flow->blocks[b];
        struct ptx_block *to = &once->blocks[b];

        if (!l->contains[b])
            continue;
        to->successors = arena_alloc(arena, (from->successor_count + 1) * sizeof(uint32_t));
        for (uint32_t s = 0; s < from->successor_count; s++)
            if (l->contains[from->successors[s]] && from->successors[s] != l->header)
                to->successors[to->successor_count++] = from->successors[s];
        leaves[b] =
            to->successor_count < from->successor_count || cycle_is_left(f, flow, l, b);
    }
    ptx_dominators_find(once, leaves);
    return once;
}
