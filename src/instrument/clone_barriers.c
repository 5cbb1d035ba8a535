/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that return early are no longer counted by the barriers of the others, but those
   that wait for the last words would be. Where that may happen, every barrier asks whether
   all of its threads have come to the end; whoever has, stays until the answer is yes. */
#include "instrument/clone.h"
#include "instrument/definition.h"
#include "instrument/divergence.h"

static bool is_barrier(const struct ptx_instruction *i)
{
    return (i->opcode == PTX_BAR || i->opcode == PTX_BARRIER) &&
           !ptx_has(i, PTX_PART_WARP) && !ptx_has(i, PTX_PART_CLUSTER);
}

/* Functions are not rewritten: one that has a barrier makes each call a strange one. */
static bool functions_meet(const struct ptx_module *m)
{
    for (uint32_t k = 0; k < m->function_count; k++) {
        const struct ptx_function *f = &m->functions[k];

        for (uint32_t n = 0; !f->is_entry && n < f->instruction_count; n++)
            if (is_barrier(&f->instructions[n]))
                return true;
    }
    return false;
}

/* Of all threads, by number 0, and nothing else than a barrier. */
static bool is_plain(const struct ptx_instruction *i)
{
    return ptx_has(i, PTX_PART_SYNC) && i->operand_count == 1 &&
           i->operands[0].kind == PTX_INTEGER && i->operands[0].integer == 0;
}

struct constant {
    int32_t reg;
    bool is_set;
};

static void find_definition(void *context, int32_t reg)
{
    struct constant *k = context;

    k->is_set |= reg == k->reg;
}

/* -1, or a register that a move of -1 sets. */
static bool is_full(const struct ptx_function *f, const struct ptx_operand *mask)
{
    if (mask->kind == PTX_INTEGER)
        return (uint32_t)mask->integer == UINT32_MAX;
    for (uint32_t n = 0; mask->kind == PTX_REGISTER && n < f->instruction_count; n++) {
        const struct ptx_instruction *i = &f->instructions[n];
        struct constant k = {mask->reg, false};

        definition_each(i, find_definition, &k);
        if (k.is_set && i->opcode == PTX_MOV && i->operand_count == 2 &&
            i->operands[1].kind == PTX_INTEGER &&
            (uint32_t)i->operands[1].integer == UINT32_MAX)
            return true;
    }
    return false;
}

/* Lanes that a full mask names, and that may have ended. */
static bool expects_ended(const struct ptx_function *f, const struct ptx_instruction *i,
                          uint8_t marks)
{
    bool warp = i->opcode == PTX_SHFL || i->opcode == PTX_VOTE || i->opcode == PTX_MATCH ||
                i->opcode == PTX_REDUX || ptx_has(i, PTX_PART_WARP);

    if (!(marks & DIVERGENCE_ENDS) || !warp || !ptx_has(i, PTX_PART_SYNC) ||
        !i->operand_count)
        return false;
    return is_full(f, &i->operands[i->operand_count - 1]);
}

enum proact_status meet_at_barriers(struct clone *c)
{
    const struct ptx_function *f = c->function;
    const uint8_t *region = divergence_find(f, c->flow, c->arena);
    const struct ptx_instruction *odd = NULL;
    bool calls_meet = functions_meet(c->module);

    for (uint32_t n = 0; n < f->instruction_count; n++) {
        const struct ptx_instruction *i = &f->instructions[n];
        uint8_t marks = region[c->flow->block_of[n]];

        if (expects_ended(f, i, marks))
            return clone_refuse(c, i,
                                "it names all lanes of a warp, of which some may have "
                                "returned and would wait at the kernel's end");
        bool meets = is_barrier(i) || (i->opcode == PTX_CALL && calls_meet);

        if (meets && !is_plain(i))
            odd = i;
        c->meets |= meets && marks & DIVERGENCE_THREAD;
    }
    if (c->meets && odd)
        return clone_refuse(c, odd,
                            "a barrier with a number, a count or a sum, or in a function, "
                            "while some threads of the CTA may return early");
    for (uint32_t n = 0; n < f->instruction_count && c->meets; n++) {
        const struct ptx_instruction *i = &f->instructions[n];

        if (is_barrier(i) && i->guard < 0)
            edit_replace(&c->edits, i->span,
                         "mov.pred %%proact_p0, 0;\n\t"
                         "barrier.red.and.pred %%proact_p1, 0, %%proact_p0;");
        else if (is_barrier(i))
            return clone_refuse(c, i,
                                "a guarded barrier, while some threads of the CTA may "
                                "return early");
    }
    return PROACT_OK;
}
