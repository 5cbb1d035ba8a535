/* SPDX-License-Identifier: Apache-2.0 */
/* A loop that goes on until memory says otherwise waits for another CTA, which may run on
   another device, or later. */
#include "instrument/clone.h"
#include "instrument/definition.h"
#include "instrument/taint.h"

static bool is_watchful(const struct clone *c, const struct ptx_instruction *i)
{
    bool strong = ptx_has(i, PTX_PART_VOLATILE) || ptx_has(i, PTX_PART_ACQUIRE) ||
                  ptx_has(i, PTX_PART_RELAXED) || ptx_has(i, PTX_PART_MMIO) ||
                  ptx_has(i, PTX_PART_CV);

    if (i->opcode != PTX_LD || !strong || i->operand_count < 2 ||
        i->space == PTX_SPACE_SHARED || i->space == PTX_SPACE_LOCAL ||
        i->space == PTX_SPACE_PARAM)
        return false;
    return origin_of_memory(c->module, c->function, c->origin, &i->operands[1]).parts !=
           ORIGIN_LOCAL;
}

/* What can come after a block. */
static void reach(const struct clone *c, uint32_t block, bool *reached)
{
    uint32_t *open = arena_alloc(c->arena, (c->flow->block_count + 1) * sizeof *open);
    uint32_t count = 0;

    open[count++] = block;
    while (count) {
        const struct ptx_block *b = &c->flow->blocks[open[--count]];

        for (uint32_t s = 0; s < b->successor_count; s++)
            if (!reached[b->successors[s]]) {
                reached[b->successors[s]] = true;
                open[count++] = b->successors[s];
            }
    }
}

static uint8_t pass_on(void *context, const struct ptx_instruction *i, uint8_t used)
{
    return i == context ? 1 : used;
}

static bool decides(const struct clone *c, const struct ptx_instruction *load,
                    uint32_t load_block)
{
    const struct ptx_function *f = c->function;
    uint8_t *taint = arena_alloc(c->arena, f->register_count + 1);
    bool *after = arena_alloc(c->arena, c->flow->block_count + 1);

    reach(c, load_block, after);
    if (!after[load_block])
        return false;
    taint_spread(f, taint, pass_on, (void *)(uintptr_t)load);
    for (uint32_t n = 0; n < f->instruction_count; n++) {
        const struct ptx_instruction *i = &f->instructions[n];
        uint32_t block = c->flow->block_of[n];

        if (i->opcode != PTX_BRA || i->guard < 0 || !taint[i->guard] || !after[block])
            continue;
        bool *again = arena_alloc(c->arena, c->flow->block_count + 1);

        reach(c, block, again);
        if (again[load_block])
            return true;
    }
    return false;
}

enum proact_status refuse_waits(struct clone *c)
{
    for (uint32_t n = 0; n < c->function->instruction_count; n++) {
        const struct ptx_instruction *i = &c->function->instructions[n];

        if (is_watchful(c, i) && decides(c, i, c->flow->block_of[n]))
            return clone_refuse(c, i,
                                "a loop waits for what this load reads: another CTA would "
                                "have to store it meanwhile");
    }
    return PROACT_OK;
}
