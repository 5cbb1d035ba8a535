/* SPDX-License-Identifier: Apache-2.0 */
/* A loop that goes on until memory says otherwise waits for another CTA, which may run on
   another device, or later. */
#include "instrument/clone/clone.h"
#include "instrument/flow/definition.h"
#include "instrument/flow/taint.h"

static bool may_watch(const struct clone *c, const struct ptx_instruction *i)
{
    if (i->opcode != PTX_LD || i->operand_count < 2 || ptx_has(i, PTX_PART_NC) ||
        (i->space != PTX_SPACE_GLOBAL && i->space != PTX_SPACE_GENERIC))
        return false;
    return origin_of_memory(c->module, c->function, c->origin, &i->operands[1]).parts !=
           ORIGIN_LOCAL;
}

/* Sees at last what other CTAs have stored, whatever is around it. */
static bool is_watchful(const struct ptx_instruction *i)
{
    return ptx_has(i, PTX_PART_VOLATILE) || ptx_has(i, PTX_PART_ACQUIRE) ||
           ptx_has(i, PTX_PART_RELAXED) || ptx_has(i, PTX_PART_MMIO) ||
           ptx_has(i, PTX_PART_CV) || ptx_has(i, PTX_PART_CG);
}

/* Makes the plain loads behind it see that. One that only lets time pass stands in no loop
   but of those who wait. */
static bool is_refreshing(const struct ptx_instruction *i)
{
    if (i->opcode == PTX_NANOSLEEP)
        return true;
    return (i->opcode == PTX_FENCE || i->opcode == PTX_MEMBAR) &&
           !ptx_has(i, PTX_PART_CTA) && !ptx_has(i, PTX_PART_CLUSTER) &&
           !ptx_has(i, PTX_PART_PROXY);
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

struct passing {
    const struct ptx_instruction *load;
    bool in_memory; /* of a CTA or a thread lies something that was made of it */
};

static uint8_t pass_on(void *context, const struct ptx_instruction *i, uint8_t used)
{
    struct passing *p = context;
    const bool apart = i->space == PTX_SPACE_SHARED || i->space == PTX_SPACE_LOCAL ||
                       i->space == PTX_SPACE_GENERIC;

    if (used && apart &&
        (i->opcode == PTX_ST || i->opcode == PTX_ATOM || i->opcode == PTX_RED))
        p->in_memory = true;
    if (p->in_memory && apart && (i->opcode == PTX_LD || i->opcode == PTX_ATOM))
        return 1;
    return i == p->load ? 1 : used;
}

/* By register: whether it is made of what the load reads. Twice, for loads that stand ahead
   of the stores into what they read. */
static uint8_t *made_of(const struct clone *c, const struct ptx_instruction *load)
{
    uint8_t *taint = arena_alloc(c->arena, c->function->register_count + 1);
    struct passing p = {.load = load};

    for (int turn = 0; turn < 2; turn++)
        taint_spread(c->function, taint, pass_on, &p);
    return taint;
}

static bool reaches(const struct clone *c, uint32_t from, uint32_t to)
{
    bool *reached = arena_alloc(c->arena, c->flow->block_count + 1);

    reach(c, from, reached);
    return reached[to];
}

static bool decides(const struct clone *c, const struct ptx_instruction *load,
                    uint32_t load_block, const bool *after)
{
    const struct ptx_function *f = c->function;
    const uint8_t *taint = made_of(c, load);

    for (uint32_t n = 0; n < f->instruction_count; n++) {
        const struct ptx_instruction *i = &f->instructions[n];
        const uint32_t block = c->flow->block_of[n];

        if (i->opcode == PTX_BRA && i->guard >= 0 && taint[i->guard] && after[block] &&
            reaches(c, block, load_block))
            return true;
    }
    return false;
}

/* Whether the loop around a load has what makes the next one see more. */
static bool is_refreshed(const struct clone *c, uint32_t load_block, const bool *after)
{
    for (uint32_t n = 0; n < c->function->instruction_count; n++) {
        const uint32_t block = c->flow->block_of[n];

        if (is_refreshing(&c->function->instructions[n]) && after[block] &&
            reaches(c, block, load_block))
            return true;
    }
    return false;
}

static bool waits(const struct clone *c, uint32_t load, bool refreshes)
{
    const struct ptx_instruction *i = &c->function->instructions[load];
    const uint32_t block = c->flow->block_of[load];

    if (!may_watch(c, i) || !(refreshes || is_watchful(i)))
        return false;
    bool *after = arena_alloc(c->arena, c->flow->block_count + 1);

    reach(c, block, after);
    return after[block] && (is_watchful(i) || is_refreshed(c, block, after)) &&
           decides(c, i, block, after);
}

enum proact_status refuse_waits(struct clone *c)
{
    const struct ptx_function *f = c->function;
    bool refreshes = false; /* anywhere: few do */

    for (uint32_t n = 0; n < f->instruction_count; n++)
        refreshes |= is_refreshing(&f->instructions[n]);
    for (uint32_t n = 0; n < f->instruction_count; n++)
        if (waits(c, n, refreshes))
            return clone_refuse(c, &f->instructions[n],
                                "a loop waits for what this load reads: another CTA would "
                                "have to store it meanwhile");
    return PROACT_OK;
}
