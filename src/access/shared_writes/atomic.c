/* SPDX-License-Identifier: Apache-2.0 */
#include "access/shared_writes/atomic.h"

const struct ptx_operand *atomic_place(const struct ptx_instruction *i)
{
    const uint32_t at = i->opcode == PTX_ATOM, values = ptx_has(i, PTX_PART_CAS) ? 2 : 1;

    return i->operand_count == at + 1 + values && i->operands[at].kind == PTX_MEMORY
               ? &i->operands[at]
               : NULL;
}

/* Scope .cta is excluded: such an atomic is not atomic between CTAs. */
bool atomic_is_word(enum ptx_part part)
{
    return part == PTX_PART_RELAXED || part == PTX_PART_GPU || part == PTX_PART_SYS;
}

bool atomic_is_number(enum ptx_part type)
{
    return type == PTX_PART_B32 || type == PTX_PART_B64 || type == PTX_PART_U32 ||
           type == PTX_PART_U64 || type == PTX_PART_S32 || type == PTX_PART_S64;
}
