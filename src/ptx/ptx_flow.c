/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "ptx/ptx.h"
#include "ptx/ptx_dominators.h"

static bool ends_function(const struct ptx_instruction *i)
{
    return i->opcode == PTX_RET || i->opcode == PTX_EXIT || i->opcode == PTX_TRAP;
}

static bool ends_block(const struct ptx_instruction *i)
{
    return i->opcode == PTX_BRA || i->opcode == PTX_BRX || ends_function(i);
}

/* Possible targets of instruction `i`: the label of its operand, or the labels of the list
   it names. */
static const int32_t *jump_labels(const struct ptx_function *f,
                                  const struct ptx_instruction *i, uint32_t *count)
{
    *count = 0;
    if ((i->opcode != PTX_BRA && i->opcode != PTX_BRX) || !i->operand_count)
        return NULL;
    const struct ptx_operand *last = &i->operands[i->operand_count - 1];

    if (last->kind != PTX_LABEL)
        return NULL;
    if (i->opcode == PTX_BRA) {
        *count = 1;
        return &last->label;
    }
    for (uint32_t t = 0; t < f->targets_count; t++)
        if (f->targets[t].label == last->label) {
            *count = f->targets[t].count;
            return f->targets[t].labels;
        }
    return NULL;
}

static void find_blocks(const struct ptx_function *f, struct ptx_flow *flow,
                        struct arena *arena)
{
    uint32_t n = f->instruction_count;
    bool *leads = must_calloc(n + 1u, sizeof *leads);

    leads[0] = true;
    for (uint32_t i = 0; i < f->label_count; i++)
        leads[f->labels[i].instruction] = true;
    for (uint32_t i = 0; i < n; i++)
        if (ends_block(&f->instructions[i]))
            leads[i + 1] = true;
    for (uint32_t i = 0; i < n; i++)
        flow->block_count += leads[i];
    flow->blocks = arena_alloc(arena, flow->block_count * sizeof *flow->blocks);
    flow->block_of = arena_alloc(arena, n * sizeof *flow->block_of);
    uint32_t block = 0;

    for (uint32_t i = 0; i < n; i++) {
        if (leads[i] && i)
            block++;
        if (leads[i])
            flow->blocks[block].first = i;
        flow->blocks[block].count++;
        flow->block_of[i] = block;
    }
    free(leads);
}

/* Adds a successor once. `visited` has for each block the last predecessor, plus one. */
static void add_successor(struct ptx_flow *flow, uint32_t from, uint32_t to,
                          uint32_t *visited)
{
    struct ptx_block *b = &flow->blocks[from];

    if (visited[to] == from + 1)
        return;
    visited[to] = from + 1;
    b->successors[b->successor_count++] = to;
    flow->blocks[to].predecessor_count++;
}

/* A branch past the last instruction leaves the function, as does its end. */
static void find_successors(const struct ptx_function *f, struct ptx_flow *flow,
                            bool *leaves, struct arena *arena)
{
    uint32_t *visited = must_calloc(flow->block_count, sizeof *visited);

    for (uint32_t b = 0; b < flow->block_count; b++) {
        struct ptx_block *block = &flow->blocks[b];
        uint32_t end = block->first + block->count, count;
        const struct ptx_instruction *last = &f->instructions[end - 1];
        const int32_t *labels = jump_labels(f, last, &count);

        block->successors = arena_alloc(arena, (count + 1u) * sizeof *block->successors);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t target = f->labels[labels[i]].instruction;

            if (target < f->instruction_count)
                add_successor(flow, b, flow->block_of[target], visited);
            else
                leaves[b] = true;
        }
        bool goes_on = !ends_block(last) || last->guard >= 0;

        if (goes_on && end < f->instruction_count)
            add_successor(flow, b, b + 1, visited);
        if (ends_function(last) || (goes_on && end == f->instruction_count))
            leaves[b] = true;
    }
    free(visited);
}

static void find_predecessors(struct ptx_flow *flow, struct arena *arena)
{
    for (uint32_t b = 0; b < flow->block_count; b++) {
        struct ptx_block *block = &flow->blocks[b];

        block->predecessors =
            arena_alloc(arena, block->predecessor_count * sizeof *block->predecessors);
        block->predecessor_count = 0;
    }
    for (uint32_t b = 0; b < flow->block_count; b++)
        for (uint32_t i = 0; i < flow->blocks[b].successor_count; i++) {
            struct ptx_block *to = &flow->blocks[flow->blocks[b].successors[i]];

            to->predecessors[to->predecessor_count++] = b;
        }
}

struct ptx_flow *ptx_flow_build(const struct ptx_function *f, struct arena *arena)
{
    struct ptx_flow *flow = arena_alloc(arena, sizeof *flow);

    find_blocks(f, flow, arena);
    bool *leaves = must_calloc(flow->block_count, sizeof *leaves);

    find_successors(f, flow, leaves, arena);
    find_predecessors(flow, arena);
    ptx_dominators_find(flow, leaves);
    free(leaves);
    return flow;
}
