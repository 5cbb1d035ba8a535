/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting loops. A loop whose end depends on memory waits for another CTA, which may run on
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

/* Loads that eventually return the stores of other CTAs, independent of the surrounding
   code. */
static bool is_watchful(const struct ptx_instruction *i)
{
    return ptx_has(i, PTX_PART_VOLATILE) || ptx_has(i, PTX_PART_ACQUIRE) ||
           ptx_has(i, PTX_PART_RELAXED) || ptx_has(i, PTX_PART_MMIO) ||
           ptx_has(i, PTX_PART_CV) || ptx_has(i, PTX_PART_CG);
}

/* Instructions after which plain loads return stores of other CTAs. A nanosleep counts:
   only waiting loops contain one. */
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
    bool *may, *watched; /* by instruction: candidate loads, and the loads of the current
                            query */
    const bool *tangles;
    const struct ptx_instruction *found;
};

/* True if the loop contains an instruction that refreshes plain loads in the next
   iteration. */
static bool is_refreshed(const struct clone *c, const bool *contains)
{
    for (uint32_t n = 0; n < c->function->instruction_count; n++)
        if (contains[c->flow->block_of[n]] && is_refreshing(&c->function->instructions[n]))
            return true;
    return false;
}

/* An atomic on memory shared by all devices returns values that other CTAs have stored. */
static bool waits_is_fetch_atomic(const struct watch *w, uint32_t n)
{
    const bool *swaps = w->c->request->swaps;

    return clone_is_flag(w->c, n) && !(swaps && swaps[n]) &&
           version_is_fetch_atomic(w->c, &w->c->function->instructions[n]);
}

/* True for any atomic on shared memory of all devices, with or without a used result. */
static bool has_joint(const struct clone *c, const bool *contains)
{
    for (uint32_t n = 0; n < c->function->instruction_count; n++) {
        const enum ptx_opcode opcode = c->function->instructions[n].opcode;

        if (clone_is_flag(c, n) && (opcode == PTX_ATOM || opcode == PTX_RED) &&
            (!contains || contains[c->flow->block_of[n]]))
            return true;
    }
    return false;
}

/* Selects the loads of the loop that may return values stored during the launch. Next to an
   atomic on memory of all devices, plain loads of that memory count too: they may decide
   the end in two steps. */
static bool waits_select_loads(const struct watch *w, const bool *contains)
{
    const struct ptx_function *f = w->c->function;
    const bool refreshed = is_refreshed(w->c, contains), beside = has_joint(w->c, contains);
    bool any = false;

    for (uint32_t n = 0; n < f->instruction_count; n++) {
        const bool may_change = refreshed || is_watchful(&f->instructions[n]) ||
                                (beside && clone_is_flag(w->c, n));

        w->watched[n] = contains[w->c->flow->block_of[n]] &&
                        ((w->may[n] && may_change) || waits_is_fetch_atomic(w, n));
        any |= w->watched[n];
    }
    return any;
}

static bool waits_check_load(const struct watch *w, const struct cycle *l, uint32_t load)
{
    const struct clone *c = w->c;
    const struct arena_mark mark = arena_mark(c->arena);
    bool *one = arena_alloc(c->arena, (c->function->instruction_count + 1) * sizeof *one);

    one[load] = true;
    const bool is = decides_end(c->function, c->flow, l, one, c->arena);

    arena_rewind(c->arena, mark);
    return is;
}

/* One query for all loads comes first: there may be thousands, and mostly none decides the
   end. */
static bool waits_in(void *context, const struct cycle *l)
{
    struct watch *w = context;
    const struct clone *c = w->c;

    if (!waits_select_loads(w, l->contains))
        return false;
    const struct arena_mark mark = arena_mark(c->arena);
    const bool any = decides_end(c->function, c->flow, l, w->watched, c->arena);

    arena_rewind(c->arena, mark);
    for (uint32_t n = 0; any && n < c->function->instruction_count; n++) {
        if (w->watched[n])
            w->found = &c->function->instructions[n];
        if (w->watched[n] && waits_check_load(w, l, n))
            break;
    }
    return any;
}

/* The end of an irreducible cycle is unknown, so every selected load counts. */
static bool waits_in_tangles(struct watch *w)
{
    if (!w->tangles || !waits_select_loads(w, w->tangles))
        return false;
    for (uint32_t n = 0; !w->found; n++)
        if (w->watched[n])
            w->found = &w->c->function->instructions[n];
    return true;
}

/* True if any load may return a value stored during the launch. Mostly none does. */
static bool find_loads(const struct clone *c, bool *may)
{
    const struct ptx_function *f = c->function;
    bool refreshes = false, any = false, watchful = false;

    for (uint32_t n = 0; n < f->instruction_count; n++) {
        may[n] = may_watch(c, &f->instructions[n]);
        any |= may[n];
        watchful |= may[n] && is_watchful(&f->instructions[n]);
        refreshes |= is_refreshing(&f->instructions[n]);
    }
    return watchful || (any && refreshes) || has_joint(c, NULL);
}

enum proact_status refuse_waits(struct clone *c)
{
    const struct ptx_function *f = c->function;
    struct watch w = {
        .c = c,
        .may = arena_alloc(c->arena, (f->instruction_count + 1) * sizeof(bool)),
        .watched = arena_alloc(c->arena, (f->instruction_count + 1) * sizeof(bool)),
    };

    if (!find_loads(c, w.may))
        return PROACT_OK;
    w.tangles = cycle_tangles(c->flow, c->arena);
    if (cycle_any(c->flow, c->arena, waits_in, &w) || waits_in_tangles(&w))
        return clone_refuse(c, w.found,
                            "a loop waits for the %s: another CTA would have to store it "
                            "during the launch",
                            w.found->opcode == PTX_LD ? "value that this load reads"
                                                      : "result of this atomic");
    return PROACT_OK;
}
