/* SPDX-License-Identifier: Apache-2.0 */
/* Sources of values other than the parameters and the thread's position. */
#include "access/slice/slice.h"

static bool is_of_the_machine(enum ptx_special special)
{
    switch (special) {
    case PTX_TID_X:
    case PTX_TID_Y:
    case PTX_TID_Z:
    case PTX_NTID_X:
    case PTX_NTID_Y:
    case PTX_NTID_Z:
    case PTX_CTAID_X:
    case PTX_CTAID_Y:
    case PTX_CTAID_Z:
    case PTX_NCTAID_X:
    case PTX_NCTAID_Y:
    case PTX_NCTAID_Z:
    case PTX_LANEID:
    case PTX_LANEMASK_EQ:
    case PTX_LANEMASK_LE:
    case PTX_LANEMASK_LT:
    case PTX_LANEMASK_GE:
    case PTX_LANEMASK_GT:
    case PTX_DYNAMIC_SMEM_SIZE:
    case PTX_WARP_SZ:
        return false;
    default:
        return true;
    }
}

/* Addresses of shared and local memory depend on the machine too. */
static const char *operand_root(const struct slice *s, const struct ptx_operand *o)
{
    if (o->kind == PTX_SPECIAL && is_of_the_machine(o->special))
        return "reads from the hardware";
    if ((o->kind == PTX_SYMBOL || o->kind == PTX_MEMORY) && o->symbol >= 0) {
        const struct ptx_symbol *symbol = ptx_symbol(s->module, s->f, o->symbol);

        if (symbol->is_function)
            return "takes the address of, which is a function";
        if (symbol->space == PTX_SPACE_SHARED || symbol->space == PTX_SPACE_LOCAL)
            return "takes the address of, in shared or local memory";
    }
    for (uint32_t n = 0; n < o->count; n++) {
        const char *verb = operand_root(s, &o->list[n]);

        if (verb)
            return verb;
    }
    return NULL;
}

/* A kernel parameter, not a parameter of a call. */
static bool loads_parameter(const struct slice *s, const struct ptx_instruction *i)
{
    if (i->opcode != PTX_LD || i->space != PTX_SPACE_PARAM)
        return false;
    const struct ptx_operand *o = &i->operands[i->operand_count - 1];

    return o->kind == PTX_MEMORY &&
           (o->symbol < 0 || o->symbol < (int32_t)s->f->parameter_count);
}

static const char *pure_root(const struct slice *s, const struct ptx_instruction *i)
{
    switch (i->opcode) {
    case PTX_SIN: /* the last bits depend on the hardware */
    case PTX_COS:
    case PTX_EX2:
    case PTX_LG2:
    case PTX_TANH:
        return "approximates";
    case PTX_ACTIVEMASK:
    case PTX_GETCTARANK:
    case PTX_MAPA:
    case PTX_CREATEPOLICY:
        return "reads from the hardware";
    default:
        break;
    }
    if (ptx_has(i, PTX_PART_APPROX) || ptx_has(i, PTX_PART_FULL))
        return "approximates";
    for (uint32_t n = 0; n < i->operand_count; n++) {
        const char *verb = operand_root(s, &i->operands[n]);

        if (verb)
            return verb;
    }
    return NULL;
}

bool slice_is_exchange(const struct ptx_instruction *i)
{
    switch (i->opcode) {
    case PTX_SHFL:
    case PTX_VOTE:
    case PTX_MATCH:
        return ptx_has(i, PTX_PART_SYNC);
    case PTX_REDUX: /* 32-bit numbers only, as in the executor */
        return ptx_has(i, PTX_PART_SYNC) && i->type != PTX_PART_F32;
    default:
        return false;
    }
}

const char *slice_verb(const struct slice *s, const struct ptx_instruction *i)
{
    const char *verb = slice_root(s, i);

    return verb ? verb : "exchanges between threads that loaded values select";
}

const char *slice_root(const struct slice *s, const struct ptx_instruction *i)
{
    if (i->opcode == PTX_OPCODE_COUNT)
        return "computes";
    switch (ptx_instruction_effect(i)) {
    case PTX_PURE:
        return pure_root(s, i);
    case PTX_LOADS:
        if (loads_parameter(s, i))
            return NULL;
        if (i->opcode == PTX_LD && i->space == PTX_SPACE_CONST && s->constants_known)
            return NULL;
        return i->opcode == PTX_LD && i->space == PTX_SPACE_PARAM ? "gets from a call"
                                                                  : "reads";
    case PTX_ATOMIC:
        return "reads";
    case PTX_JUMPS:
        return i->opcode == PTX_CALL ? "gets from a call" : NULL;
    case PTX_ORDERS:
        return slice_is_exchange(i) ? pure_root(s, i) : "exchanges between threads";
    default:
        return NULL;
    }
}
