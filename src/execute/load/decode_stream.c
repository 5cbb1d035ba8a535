/* SPDX-License-Identifier: Apache-2.0 */
/* Emission of the operations that remain after hoisting: the stream that warps execute.
   Each basic block starts with its instruction counts. */
#include "execute/load/decode_order.h"
#include "execute/load/decode_recursion.h"

#include <stdlib.h>
#include <string.h>

static bool waits_for_memory(const struct ptx_instruction *i)
{
    bool far = i->space == PTX_SPACE_GLOBAL || i->space == PTX_SPACE_GENERIC ||
               i->space == PTX_SPACE_LOCAL;

    return far && (i->opcode == PTX_LD || i->opcode == PTX_LDU || i->opcode == PTX_ATOM ||
                   i->opcode == PTX_TEX || i->opcode == PTX_TLD4 || i->opcode == PTX_SULD ||
                   (i->opcode == PTX_WMMA && ptx_has(i, PTX_PART_LOAD)));
}

/* Number of waits for memory of a warp that executes instructions `first` to `end`. The
   driver's compiler moves loads up, so that independent loads are issued together. The
   result is therefore the longest chain of dependent loads. */
static uint32_t stalls_count(struct decoder *d, uint32_t *depth, uint32_t first,
                             uint32_t end)
{
    uint32_t longest = 0;
    struct register_list r;

    memset(depth, 0, d->function->register_count * sizeof *depth);
    for (uint32_t n = first; n < end; n++) {
        const struct ptx_instruction *i = &d->function->instructions[n];
        uint32_t chain = waits_for_memory(i);

        instruction_registers(i, &r);
        for (unsigned k = 0; k < r.used_count; k++)
            if (depth[r.used[k]] + waits_for_memory(i) > chain)
                chain = depth[r.used[k]] + waits_for_memory(i);
        for (unsigned k = 0; k < r.set_count; k++)
            depth[r.set[k]] = chain;
        longest = chain > longest ? chain : longest;
    }
    return longest;
}

static void block_head(struct decoder *d, uint32_t *depth, const bool *leaders,
                       uint32_t first)
{
    const struct ptx_function *f = d->function;
    uint32_t end = first, slots = 0;

    while (end < f->instruction_count && (end == first || !leaders[end]))
        slots += instruction_slots(&f->instructions[end++]);
    d->source = first < f->instruction_count ? &f->instructions[first] : NULL;
    d->line = d->source ? d->source->line : d->line;
    struct execute_op *head = emit(d, CODE_BLOCK);

    head->extra = slots;
    head->to = stalls_count(d, depth, first, end);
    d->epoch++;
    d->spread_used = 0;
}

static bool is_hoisted(const struct decoder *d, const struct register_list *r)
{
    return r->set_count && d->homes[r->set[0]].file != FILE_WARP;
}

/* Replaces the instruction numbers in jumps by operation numbers. */
static void jumps_finish(struct decoder *d, size_t first_op, size_t first_table,
                         const uint32_t *op_of)
{
    struct execute_kernel *k = d->kernel;

    for (size_t n = first_op; n < k->stream.count; n++) {
        struct execute_op *op = &k->stream.ops[n];

        if (op->code == CODE_JUMP || op->code == CODE_BRANCH)
            op->extra = op_of[op->extra];
    }
    for (size_t n = first_table; n < k->table_count; n++)
        for (uint32_t t = 0; t < k->tables[n].count; t++)
            k->tables[n].targets[t] = op_of[k->tables[n].targets[t]];
}

/* Emits instructions `n` to `end`. */
static bool stream_block(struct decoder *d, uint32_t *depth, const bool *leaders,
                         uint32_t *op_of, uint32_t n, uint32_t end)
{
    const struct ptx_function *f = d->function;
    struct register_list r;

    for (; n < end; n++) {
        const struct ptx_instruction *i = &f->instructions[n];

        if (leaders[n]) {
            op_of[n] = (uint32_t)d->kernel->stream.count;
            block_head(d, depth, leaders, n);
        }
        instruction_registers(i, &r);
        if (is_hoisted(d, &r))
            continue;
        d->source = i;
        d->line = i->line;
        bool is_branch = i->opcode == PTX_BRA;

        d->guard = i->guard >= 0 && !is_branch ? i : NULL;
        if (!decode_instruction(d, i))
            return false;
        d->guard = NULL;
        for (unsigned k = 0; k < r.set_count; k++)
            d->homes[r.set[k]].spread_epoch = 0;
    }
    return true;
}

static bool stream_blocks(struct decoder *d, uint32_t *depth, const bool *leaders,
                          uint32_t *op_of)
{
    const struct ptx_flow *flow = ptx_flow_build(d->function, &d->arena);
    const uint32_t *order = blocks_order(d, flow);

    for (uint32_t n = 0; n < flow->block_count; n++) {
        const struct ptx_block *b = &flow->blocks[order[n]];
        uint32_t end = b->first + b->count;
        uint32_t next = n + 1 < flow->block_count ? order[n + 1] : flow->block_count;

        if (!stream_block(d, depth, leaders, op_of, b->first, end))
            return false;
        if (next != order[n] + 1)
            emit(d, CODE_JUMP)->extra = end;
    }
    return true;
}

bool stream_function(struct decoder *d, const bool *leaders)
{
    const struct ptx_function *f = d->function;
    uint32_t *op_of = arena_alloc(&d->arena, (f->instruction_count + 1) * sizeof *op_of);
    size_t first_op = d->kernel->stream.count, first_table = d->kernel->table_count;
    uint32_t *depth = arena_alloc(&d->arena, (f->register_count + 1) * sizeof *depth);

    recursion_enter(d);
    if (!stream_blocks(d, depth, leaders, op_of))
        return false;
    op_of[f->instruction_count] = (uint32_t)d->kernel->stream.count;
    block_head(d, depth, leaders, f->instruction_count);
    recursion_leave(d);
    struct execute_op *end = emit(d, f->is_entry ? CODE_EXIT : CODE_RETURN);

    end->from[0] = d->frame->way_back;
    jumps_finish(d, first_op, first_table, op_of);
    return true;
}
