/* SPDX-License-Identifier: Apache-2.0 */
#include "access/shared_writes/retries.h"

#include <stdlib.h>

#include "access/flow/uses.h"
#include "access/shared_writes/atomic.h"
#include "base/memory.h"

enum { CHAIN_MAX = 8 };

struct retry {
    const struct ptx_function *f;
    struct arena arena;
    struct regions *regions;
    struct ssa *ssa;
    const struct ssa_uses *uses;
    const struct region_loop *loop;
    uint32_t swap;
    bool *is_seen; /* by value: it depends on what the swap returns */
};

static int32_t retry_read(const struct retry *t, uint32_t at, const struct ptx_operand *o)
{
    return o->kind == PTX_REGISTER && !o->negated && !o->is_part
               ? ssa_read(t->ssa, at, o->reg)
               : -1;
}

static const struct ptx_instruction *retry_made_by(const struct retry *t, int32_t value,
                                                   uint32_t *at)
{
    const struct ssa_value *v = value < 0 ? NULL : &t->ssa->values[value];

    if (!v || v->kind != SSA_DEFINED || t->f->instructions[v->instruction].guard >= 0)
        return NULL;
    *at = v->instruction;
    return &t->f->instructions[v->instruction];
}

static int32_t retry_source(const struct retry *t, int32_t value)
{
    const struct ptx_instruction *i;
    uint32_t at;

    while ((i = retry_made_by(t, value, &at)) && i->opcode == PTX_MOV &&
           i->operand_count == 2 && i->operands[0].kind == PTX_REGISTER &&
           retry_read(t, at, &i->operands[1]) >= 0)
        value = retry_source(t, retry_read(t, at, &i->operands[1]));
    return value;
}

/* Whether the predicate, if it is `is`, states that the swap failed. */
static bool tells_failure(const struct retry *t, int32_t predicate, bool is,
                          int32_t compared)
{
    const int32_t returned = t->ssa->first_value[t->swap];
    uint32_t at;
    const struct ptx_instruction *i = retry_made_by(t, predicate, &at);

    if (!i || i->opcode != PTX_SETP || i->operand_count != 3 ||
        t->ssa->values[predicate].element || i->type > PTX_PART_B64 ||
        ptx_type_bytes(i->type) != ptx_type_bytes(t->f->instructions[t->swap].type) ||
        !ptx_has(i, is ? PTX_PART_NE : PTX_PART_EQ))
        return false;
    const int32_t a = retry_source(t, retry_read(t, at, &i->operands[1])),
                  b = retry_source(t, retry_read(t, at, &i->operands[2]));

    return (a == returned && b == compared) || (a == compared && b == returned);
}

/* Whether control comes over the back edge from `block` only if the swap failed. */
static bool repeats_failed(const struct retry *t, uint32_t block, int32_t compared)
{
    const struct ptx_flow *flow = t->regions->flow;
    uint32_t to = t->loop->header;

    for (unsigned n = 0; n < CHAIN_MAX; n++) {
        const struct ptx_block *from = &flow->blocks[block];
        const uint32_t last = from->first + from->count - 1;
        const struct ptx_instruction *jump = &t->f->instructions[last];

        if (jump->opcode == PTX_BRA && jump->guard >= 0 && from->successor_count == 2 &&
            tells_failure(t, ssa_read(t->ssa, last, jump->guard),
                          (from->successors[0] == to) != jump->guard_negated, compared))
            return true;
        if (from->predecessor_count != 1)
            return false;
        to = block;
        block = from->predecessors[0];
    }
    return false;
}

/* Whether the swap compares with what it returned in the iteration before, and each
   iteration but the first follows a failure. */
static bool compares_returned(const struct retry *t, int32_t compared)
{
    const struct ssa_value *v = compared < 0 ? NULL : &t->ssa->values[compared];
    const struct ptx_block *header = &t->regions->flow->blocks[t->loop->header];

    if (!v || v->kind != SSA_PHI || v->block != t->loop->header)
        return false;
    for (uint32_t k = 0; k < header->predecessor_count; k++)
        if (t->loop->contains[header->predecessors[k]] &&
            (retry_source(t, v->from[k]) != t->ssa->first_value[t->swap] ||
             !repeats_failed(t, header->predecessors[k], compared)))
            return false;
    return true;
}

/* Whether the value, and all that is computed from it, is used in the loop only. */
static bool stays_inside(const struct retry *t, uint32_t value)
{
    bool all = true;

    if (t->is_seen[value])
        return true;
    t->is_seen[value] = true;
    for (uint32_t n = t->uses->first[value]; n < t->uses->first[value + 1] && all; n++) {
        const int64_t user = t->uses->user[n];

        if (user < 0) { /* a phi counts by its users */
            all = stays_inside(t, (uint32_t)(-1 - user));
            continue;
        }
        const struct ptx_instruction *i = &t->f->instructions[user];
        const enum ptx_effect effect = ptx_instruction_effect(i);

        all = t->loop->contains[t->regions->flow->block_of[user]] &&
              ((uint32_t)user == t->swap || i->opcode == PTX_BRA || effect == PTX_PURE) &&
              (t->ssa->first_value[user] < 0 ||
               stays_inside(t, (uint32_t)t->ssa->first_value[user]));
    }
    return all;
}

static bool has_one_exit(const struct retry *t)
{
    const struct ptx_flow *flow = t->regions->flow;
    int64_t exit = -1;

    for (uint32_t b = 0; b < flow->block_count; b++)
        for (uint32_t s = 0; t->loop->contains[b] && s < flow->blocks[b].successor_count;
             s++) {
            const uint32_t to = flow->blocks[b].successors[s];

            if (t->loop->contains[to])
                continue;
            if (exit >= 0 && exit != to)
                return false;
            exit = to;
        }
    return true;
}

/* Whether no other loop contains the swap, or its result has no effect behind its own. */
static bool ends_here(const struct retry *t)
{
    const uint32_t block = t->regions->flow->block_of[t->swap];
    unsigned around = 0;

    for (uint32_t l = 0; l < t->regions->loop_count; l++)
        around += t->regions->loops[l].contains[block];
    if (around == 1)
        return true;
    for (uint32_t v = 0; v < t->ssa->count; v++)
        t->is_seen[v] = false;
    return has_one_exit(t) && stays_inside(t, (uint32_t)t->ssa->first_value[t->swap]);
}

static bool is_retry(struct retry *t, uint32_t swap)
{
    const struct ptx_instruction *i = &t->f->instructions[swap];
    const struct ptx_operand *to = i->opcode == PTX_ATOM ? atomic_place(i) : NULL;
    const int32_t loop = t->regions->loop_of[t->regions->flow->block_of[swap]];
    int32_t place;

    if (!to || !ptx_has(i, PTX_PART_CAS) || i->guard >= 0 || i->vector != 1 || loop < 0 ||
        i->type > PTX_PART_B64 || i->operand_count != 4 || to->reg < 0 || to->count ||
        t->ssa->first_value[swap] < 0)
        return false;
    t->loop = &t->regions->loops[loop];
    t->swap = swap;
    place = ssa_read(t->ssa, swap, to->reg);
    return place >= 0 && !t->loop->contains[t->ssa->values[place].block] &&
           compares_returned(t, retry_source(t, retry_read(t, swap, &i->operands[2]))) &&
           ends_here(t);
}

static void mark_retries(const struct ptx_function *f, bool *swaps)
{
    struct retry t = {.f = f};
    bool any = false;

    for (uint32_t n = 0; n < f->instruction_count && !any; n++)
        any = f->instructions[n].opcode == PTX_ATOM &&
              ptx_has(&f->instructions[n], PTX_PART_CAS);
    if (!any)
        return;
    t.regions = regions_build(f, &t.arena);
    t.ssa = ssa_build(t.regions, &t.arena);
    t.uses = uses_build(t.ssa, &t.arena);
    t.is_seen = must_calloc(t.ssa->count + 1u, sizeof *t.is_seen);
    for (uint32_t n = 0; n < f->instruction_count && !t.regions->irreducible; n++)
        if (f->instructions[n].opcode == PTX_ATOM &&
            t.regions->position[t.regions->flow->block_of[n]] >= 0 && is_retry(&t, n))
            swaps[n] = true;
    free(t.is_seen);
    arena_clear(&t.arena);
}

bool *access_retries_find(const struct ptx_function *f, const struct access_reductions *r)
{
    bool *swaps = must_calloc(f->instruction_count + 1u, sizeof *swaps);

    for (uint32_t n = 0; n < r->count; n++)
        swaps[r->reduction[n].instruction] |=
            access_reduction_operation(r->reduction[n].kind) == PTX_PART_CAS;
    mark_retries(f, swaps);
    return swaps;
}
