/* SPDX-License-Identifier: Apache-2.0 */
/* What is left of a function after hoisting becomes the stream of operations that warps
   run; every basic block is headed by its counts. */
#include "execute/load/decode.h"

#include <stdlib.h>

/* Results that are being waited for: a bit for a register. */
struct pending {
    uint64_t *row;
    uint32_t words;
    bool any;
};

static bool waits_for_memory(const struct ptx_instruction *i)
{
    bool far = i->space == PTX_SPACE_GLOBAL || i->space == PTX_SPACE_GENERIC ||
               i->space == PTX_SPACE_LOCAL;

    return far && (i->opcode == PTX_LD || i->opcode == PTX_LDU || i->opcode == PTX_ATOM);
}

static bool uses_pending(const struct pending *p, const struct register_list *r)
{
    for (unsigned n = 0; n < r->used_count; n++)
        if (p->row[r->used[n] / 64] >> (r->used[n] % 64) & 1)
            return true;
    return false;
}

static void pending_clear(struct pending *p)
{
    for (uint32_t w = 0; w < p->words; w++)
        p->row[w] = 0;
    p->any = false;
}

/* How often a warp that passes instructions `first` to `end` waits for memory: loads that
   nobody has used yet come back together. */
static uint32_t stalls_count(struct decoder *d, struct pending *p, uint32_t first,
                             uint32_t end)
{
    uint32_t stalls = 0;
    struct register_list r;

    pending_clear(p);
    for (uint32_t n = first; n < end; n++) {
        const struct ptx_instruction *i = &d->function->instructions[n];

        instruction_registers(i, &r);
        if (p->any && uses_pending(p, &r)) {
            stalls++;
            pending_clear(p);
        }
        if (!waits_for_memory(i))
            continue;
        for (unsigned k = 0; k < r.set_count; k++) {
            p->row[r.set[k] / 64] |= (uint64_t)1 << (r.set[k] % 64);
            p->any = true;
        }
    }
    return stalls + p->any;
}

static void block_head(struct decoder *d, struct pending *p, const bool *leaders,
                       uint32_t first)
{
    const struct ptx_function *f = d->function;
    uint32_t end = first;

    while (end < f->instruction_count && (end == first || !leaders[end]))
        end++;
    d->source = first < f->instruction_count ? &f->instructions[first] : NULL;
    d->line = d->source ? d->source->line : d->line;
    struct execute_op *head = emit(d, CODE_BLOCK);

    head->extra = end - first;
    head->to = stalls_count(d, p, first, end);
    d->epoch++;
    d->spread_used = 0;
}

static bool is_hoisted(const struct decoder *d, const struct register_list *r)
{
    return r->set_count && d->homes[r->set[0]].file != FILE_WARP;
}

/* Jumps were given instruction numbers; now the operations are known. */
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

bool stream_function(struct decoder *d, const bool *leaders)
{
    const struct ptx_function *f = d->function;
    uint32_t *op_of = arena_alloc(&d->arena, (f->instruction_count + 1) * sizeof *op_of);
    struct pending pending = {.words = f->register_count / 64 + 1};
    size_t first_op = d->kernel->stream.count, first_table = d->kernel->table_count;
    struct register_list r;

    pending.row = arena_alloc(&d->arena, pending.words * 8);
    for (uint32_t n = 0; n < f->instruction_count; n++) {
        const struct ptx_instruction *i = &f->instructions[n];

        if (leaders[n]) {
            op_of[n] = (uint32_t)d->kernel->stream.count;
            block_head(d, &pending, leaders, n);
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
    op_of[f->instruction_count] = (uint32_t)d->kernel->stream.count;
    block_head(d, &pending, leaders, f->instruction_count);
    struct execute_op *end = emit(d, f->is_entry ? CODE_EXIT : CODE_RETURN);

    end->from[0] = d->frame->way_back;
    jumps_finish(d, first_op, first_table, op_of);
    return true;
}
