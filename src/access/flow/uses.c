/* SPDX-License-Identifier: Apache-2.0 */
#include "access/flow/uses.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct counting {
    const struct ssa *ssa;
    struct ssa_uses *uses;
    uint32_t *next; /* by value: next free index; NULL: first pass, which counts */
};

static void add_use(struct counting *c, int32_t value, int32_t user)
{
    if (value < 0)
        return;
    if (c->next)
        c->uses->user[c->next[value]++] = user;
    else
        c->uses->first[value + 1]++;
}

static void add_operand(struct counting *c, uint32_t at, const struct ptx_operand *o)
{
    if (o->kind == PTX_REGISTER || o->kind == PTX_MEMORY)
        add_use(c, ssa_read(c->ssa, at, o->reg), (int32_t)at);
    for (uint32_t i = 0; i < o->count; i++)
        add_operand(c, at, &o->list[i]);
}

/* A guarded instruction also uses the previous values of its destinations. */
static void add_instruction(struct counting *c, uint32_t at,
                            const struct ptx_instruction *i)
{
    if (i->guard >= 0)
        add_use(c, ssa_read(c->ssa, at, i->guard), (int32_t)at);
    for (uint32_t k = 0; k < i->operand_count; k++)
        if (k || i->guard >= 0 || c->ssa->first_value[at] < 0 ||
            i->operands[0].kind == PTX_MEMORY)
            add_operand(c, at, &i->operands[k]);
}

static void add_all(struct counting *c)
{
    const struct regions *r = c->ssa->regions;

    for (uint32_t i = 0; i < r->function->instruction_count; i++)
        if (r->position[r->flow->block_of[i]] >= 0)
            add_instruction(c, i, &r->function->instructions[i]);
    for (uint32_t v = 0; v < c->ssa->count; v++) {
        const struct ssa_value *phi = &c->ssa->values[v];

        for (uint32_t k = 0;
             phi->kind == SSA_PHI && k < r->flow->blocks[phi->block].predecessor_count; k++)
            add_use(c, phi->from[k], -1 - (int32_t)v);
    }
}

const struct ssa_uses *uses_build(const struct ssa *s, struct arena *arena)
{
    struct ssa_uses *u = arena_alloc(arena, sizeof *u);
    struct counting c = {s, u, NULL};

    u->first = arena_alloc(arena, (s->count + 1u) * sizeof *u->first);
    add_all(&c);
    for (uint32_t v = 0; v < s->count; v++)
        u->first[v + 1] += u->first[v];
    u->user = arena_alloc(arena, (u->first[s->count] + 1u) * sizeof *u->user);
    c.next = must_calloc(s->count + 1u, sizeof *c.next);
    memcpy(c.next, u->first, s->count * sizeof *c.next);
    add_all(&c);
    free(c.next);
    return u;
}
