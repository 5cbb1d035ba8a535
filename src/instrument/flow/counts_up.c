/* SPDX-License-Identifier: Apache-2.0 */
#include "instrument/flow/counts_up.h"

#include "instrument/flow/definition.h"

struct sole {
    int32_t reg;
    bool sets;
};

static void look(void *context, int32_t reg)
{
    struct sole *s = context;

    s->sets |= reg == s->reg;
}

/* The only instruction of the loop that defines the register. It executes in every
   iteration. NULL: none. */
static const struct ptx_instruction *sole_in(const struct ptx_function *f,
                                             const struct ptx_flow *flow,
                                             const struct cycle *l, int32_t reg)
{
    const struct ptx_instruction *found = NULL;

    for (uint32_t n = 0; n < f->instruction_count; n++) {
        struct sole s = {.reg = reg};

        if (!l->contains[flow->block_of[n]])
            continue;
        definition_each(&f->instructions[n], look, &s);
        if (s.sets && (found || f->instructions[n].guard >= 0 ||
                       !cycle_always_passes(flow, l, flow->block_of[n])))
            return NULL;
        if (s.sets)
            found = &f->instructions[n];
    }
    return found;
}

static bool is_whole_number(enum ptx_part type)
{
    return type == PTX_PART_S32 || type == PTX_PART_U32 || type == PTX_PART_S64 ||
           type == PTX_PART_U64;
}

/* True if the register is copied back to itself with an addition of a positive number on
   the path. */
static bool grows(const struct ptx_function *f, const struct ptx_flow *flow,
                  const struct cycle *l, int32_t reg)
{
    enum { COPIES = 4 };
    int32_t at = reg;
    bool more = false;

    for (int step = 0; step < COPIES; step++) {
        const struct ptx_instruction *i = sole_in(f, flow, l, at);

        if (!i || i->operand_count < 2 || i->operands[1].kind != PTX_REGISTER)
            return false;
        if (i->opcode == PTX_ADD && is_whole_number(i->type) && i->operand_count == 3 &&
            i->operands[2].kind == PTX_INTEGER && i->operands[2].integer > 0)
            more = true;
        else if (i->opcode != PTX_MOV)
            return false;
        at = i->operands[1].reg;
        if (at == reg)
            return more;
    }
    return false;
}

/* The operand of the comparison that must be the lesser one for the result `holds`. -1:
   unknown. */
static int32_t lesser(const struct ptx_instruction *i, bool holds)
{
    const bool below = ptx_has(i, PTX_PART_LT) || ptx_has(i, PTX_PART_LE) ||
                       ptx_has(i, PTX_PART_LO) || ptx_has(i, PTX_PART_LS);
    const bool above = ptx_has(i, PTX_PART_GT) || ptx_has(i, PTX_PART_GE) ||
                       ptx_has(i, PTX_PART_HI) || ptx_has(i, PTX_PART_HS);

    if (i->opcode != PTX_SETP || i->operand_count != 3 || !is_whole_number(i->type) ||
        below == above)
        return -1;
    const struct ptx_operand *o = &i->operands[below == holds ? 1 : 2];

    return o->kind == PTX_REGISTER ? o->reg : -1;
}

bool counts_up(const struct ptx_function *f, const struct ptx_flow *flow,
               const struct cycle *l, uint32_t block)
{
    const struct ptx_block *b = &flow->blocks[block];
    const struct ptx_instruction *branch = &f->instructions[b->first + b->count - 1];

    if (branch->opcode != PTX_BRA || branch->guard < 0 || b->successor_count != 2 ||
        !cycle_always_passes(flow, l, block) ||
        l->contains[b->successors[0]] == l->contains[b->successors[1]])
        return false;
    const struct ptx_instruction *compares = sole_in(f, flow, l, branch->guard);

    if (!compares || flow->block_of[compares - f->instructions] != block)
        return false;
    /* The first successor is the target of the branch. */
    const int32_t reg =
        lesser(compares, l->contains[b->successors[0]] != branch->guard_negated);

    return reg >= 0 && grows(f, flow, l, reg);
}
