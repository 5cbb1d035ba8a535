/* SPDX-License-Identifier: Apache-2.0 */
/* alloca, stacksave and stackrestore. The memory is on the stack of the thread, in its
   local memory, and is released when the function returns. */
#include "execute/load/decoder.h"

#include "execute/run/run_convert.h"

enum { ALLOCA_ALIGN = 8, ALLOCA_ALIGN_MAX = 1 << 16 };

bool is_stack(enum ptx_opcode opcode)
{
    return opcode == PTX_ALLOCA || opcode == PTX_STACKSAVE || opcode == PTX_STACKRESTORE;
}

static bool has_type(const struct decoder *d, const struct ptx_instruction *i,
                     const struct ptx_operand *o)
{
    unsigned bytes = ptx_type_bytes(i->type);

    return (bytes == 4 || bytes == 8) &&
           (o->kind == PTX_INTEGER ||
            (o->kind == PTX_REGISTER && d->function->registers[o->reg].bytes == bytes));
}

static bool decode_alloca(struct decoder *d, const struct ptx_instruction *i)
{
    const struct ptx_operand *o = i->operands;
    unsigned bytes = ptx_type_bytes(i->type);
    int64_t align = i->operand_count > 2 ? o[2].integer : ALLOCA_ALIGN;
    op_place size;

    if (i->operand_count < 2 || i->operand_count > 3 || o[0].kind != PTX_REGISTER ||
        !has_type(d, i, &o[0]) || !has_type(d, i, &o[1]) ||
        (i->operand_count > 2 && o[2].kind != PTX_INTEGER) || align < 1 ||
        align > ALLOCA_ALIGN_MAX || (align & (align - 1)) ||
        !operand_source(d, &o[1], bytes, &size))
        return refuse_instruction(d, i);
    op_place to = operand_target(d, &o[0], bytes);
    struct execute_op *op = emit(d, CODE_ALLOCA);

    op->to = to;
    op->from[0] = d->stack;
    op->from[1] = size;
    op->extra = (uint32_t)align;
    op->detail[0] = op->detail[1] = (uint8_t)bytes;
    return true;
}

bool decode_stack(struct decoder *d, const struct ptx_instruction *i)
{
    unsigned bytes = ptx_type_bytes(i->type);
    bool saves = i->opcode == PTX_STACKSAVE;
    op_place from = d->stack;

    if (i->opcode == PTX_ALLOCA)
        return decode_alloca(d, i);
    if (i->operand_count != 1 || i->operands[0].kind != PTX_REGISTER ||
        !has_type(d, i, &i->operands[0]) ||
        (!saves && !operand_source(d, &i->operands[0], bytes, &from)))
        return refuse_instruction(d, i);
    if (!saves) {
        struct execute_op *op = emit(d, CODE_RELEASE);

        op->from[0] = d->stack;
        op->from[1] = from;
        op->from[2] = d->frame->base;
        op->extra = d->frame->is_recursive ? (d->frame->local_bytes + 15) / 16 * 16 : 0;
        op->detail[0] = (uint8_t)bytes;
        return true;
    }
    op_place to = operand_target(d, &i->operands[0], bytes);

    emit_lanes(d, bytes == 4 ? convert_move(4) : convert_resize(4, bytes), to, from);
    return true;
}
