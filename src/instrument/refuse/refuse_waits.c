/* SPDX-License-Identifier: Apache-2.0 */
/* A loop that goes on until memory says otherwise waits for another CTA, which may run on
   another device, or later. */
#include "instrument/clone/clone.h"
#include "instrument/flow/decides_end.h"

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

struct watch {
    const struct clone *c;
    const struct ptx_instruction *load;
};

/* Whether the loop has what makes the next time around see more. */
static bool is_refreshed(const struct clone *c, const struct cycle *l)
{
    for (uint32_t n = 0; n < c->function->instruction_count; n++)
        if (l->contains[c->flow->block_of[n]] &&
            is_refreshing(&c->function->instructions[n]))
            return true;
    return false;
}

static bool waits_in(void *context, const struct cycle *l)
{
    const struct watch *w = context;

    return (is_watchful(w->load) || is_refreshed(w->c, l)) &&
           decides_end(w->c->function, w->c->flow, l, w->load, w->c->arena);
}

static bool waits(const struct clone *c, uint32_t load, bool refreshes)
{
    struct watch w = {.c = c, .load = &c->function->instructions[load]};
    const uint32_t block = c->flow->block_of[load];

    if (!may_watch(c, w.load) || !(refreshes || is_watchful(w.load)))
        return false;
    if (cycle_any_around(c->flow, block, c->arena, waits_in, &w))
        return true;
    const struct cycle tangle = {.contains = cycle_tangle(c->flow, block, c->arena)};

    return tangle.contains && (is_watchful(w.load) || is_refreshed(c, &tangle));
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
