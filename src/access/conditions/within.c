/* SPDX-License-Identifier: Apache-2.0 */
#include "access/conditions/within.h"

#include <stdlib.h>

#include "access/flow/uses.h"
#include "base/memory.h"

enum { TARGETS_MAX = 256 };

struct following {
    struct study *study;
    const struct region_loop *loop;
    enum {
        UNKNOWN,
        WITHIN,
        CARRIED
    } *
        is;         /* by value; CARRIED: visible after the iteration */
    uint32_t *left; /* values whose uses are pending */
    uint32_t count;
};

static void follow(struct following *w, uint32_t value, bool is_carried)
{
    if (w->is[value] >= (is_carried ? CARRIED : WITHIN))
        return;
    w->is[value] = is_carried ? CARRIED : WITHIN;
    w->left[w->count++] = value;
}

static bool is_plain_load(const struct ptx_instruction *i)
{
    return i->opcode == PTX_LD &&
           (i->space == PTX_SPACE_GLOBAL || i->space == PTX_SPACE_SHARED);
}

/* Whether the instruction decides the control flow, or passes values through memory that is
   not followed. */
static bool leads_away(const struct ptx_instruction *i)
{
    switch (i->opcode) {
    case PTX_BRA:
    case PTX_BRX:
    case PTX_CALL:
    case PTX_RET:
    case PTX_EXIT:
        return true;
    case PTX_ST:
        return i->space != PTX_SPACE_GLOBAL && i->space != PTX_SPACE_SHARED;
    default:
        return false;
    }
}

static bool follow_instruction(struct following *w, uint32_t at)
{
    const struct study *s = w->study;
    const struct ptx_instruction *i = &s->function->instructions[at];
    int32_t regs[TARGETS_MAX];
    uint32_t count = ssa_targets(i, regs, TARGETS_MAX);

    if (!w->loop->contains[s->regions->flow->block_of[at]] || leads_away(i))
        return false;
    if (is_plain_load(i) && i->guard < 0)
        return true;
    for (uint32_t k = 0; k < count && s->ssa->first_value[at] >= 0; k++)
        follow(w, (uint32_t)s->ssa->first_value[at] + k, false);
    return true;
}

/* A phi may exist without any user. */
static void follow_phi(struct following *w, uint32_t value, bool is_carried)
{
    const uint32_t block = w->study->ssa->values[value].block;

    follow(w, value, is_carried || !w->loop->contains[block] || w->loop->header == block);
}

static bool follow_uses(struct following *w, const struct ssa_uses *u, uint32_t value)
{
    const bool is_carried = w->is[value] == CARRIED;

    for (uint32_t n = u->first[value]; n < u->first[value + 1]; n++)
        if (u->user[n] < 0)
            follow_phi(w, (uint32_t)(-1 - u->user[n]), is_carried);
        else if (is_carried || !follow_instruction(w, (uint32_t)u->user[n]))
            return false;
    return true;
}

bool within_iteration(struct study *s, uint32_t value)
{
    const int32_t loop = s->regions->loop_of[s->ssa->values[value].block];
    bool is = loop >= 0 && !s->regions->irreducible;

    if (!is)
        return false;
    if (!s->uses)
        s->uses = uses_build(s->ssa, s->arena);
    const struct ssa_uses *u = s->uses;
    struct following w = {.study = s, .loop = &s->regions->loops[loop]};

    w.is = must_calloc(s->ssa->count + 1u, sizeof *w.is);
    w.left = must_calloc(2 * (s->ssa->count + 1u), sizeof *w.left);
    follow(&w, value, false);
    while (is && w.count)
        is = follow_uses(&w, u, w.left[--w.count]);
    free(w.left);
    free(w.is);
    return is;
}
