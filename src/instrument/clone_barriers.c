/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that return early are no longer counted by the barriers of the others, but those
   that wait for the last words would be. Where that may happen, every barrier asks whether
   all of its threads have come to the end; whoever has, stays until the answer is yes. */
#include "instrument/clone.h"
#include "instrument/divergence.h"

static bool is_barrier(const struct ptx_instruction *i)
{
    return (i->opcode == PTX_BAR || i->opcode == PTX_BARRIER) &&
           !ptx_has(i, PTX_PART_WARP) && !ptx_has(i, PTX_PART_CLUSTER);
}

/* Of all threads, by number 0, and nothing else than a barrier. */
static bool is_plain(const struct ptx_instruction *i)
{
    return ptx_has(i, PTX_PART_SYNC) && i->operand_count == 1 &&
           i->operands[0].kind == PTX_INTEGER && i->operands[0].integer == 0;
}

/* Lanes that a full mask names, and that may have ended. */
static bool expects_ended(const struct ptx_instruction *i, uint8_t marks)
{
    bool warp = i->opcode == PTX_SHFL || i->opcode == PTX_VOTE || i->opcode == PTX_MATCH ||
                i->opcode == PTX_REDUX || ptx_has(i, PTX_PART_WARP);

    if (!(marks & DIVERGENCE_ENDS) || !warp || !ptx_has(i, PTX_PART_SYNC) ||
        !i->operand_count)
        return false;
    const struct ptx_operand *mask = &i->operands[i->operand_count - 1];

    return mask->kind == PTX_INTEGER && (uint32_t)mask->integer == UINT32_MAX;
}

enum proact_status meet_at_barriers(struct clone *c)
{
    const struct ptx_function *f = c->function;
    const uint8_t *region = divergence_find(f, c->flow, c->arena);
    const struct ptx_instruction *odd = NULL;

    for (uint32_t n = 0; n < f->instruction_count; n++) {
        const struct ptx_instruction *i = &f->instructions[n];
        uint8_t marks = region[c->flow->block_of[n]];

        if (expects_ended(i, marks))
            return clone_refuse(c, i,
                                "it names all lanes of a warp, of which some may have "
                                "returned and would wait at the kernel's end");
        if (is_barrier(i) && !is_plain(i))
            odd = i;
        c->meets |= is_barrier(i) && marks & DIVERGENCE_THREAD;
    }
    if (c->meets && odd)
        return clone_refuse(c, odd,
                            "a barrier with a number, a count or a sum, while some threads "
                            "of the CTA may return early");
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
