/* SPDX-License-Identifier: Apache-2.0 */
/* Grid indices of a partition. A device runs its partition as a 1-D grid, or as complete
   rows or planes. Each use of an index computes it from the partition parameter, so that no
   register lives longer than before. */
#include <stddef.h>

#include "instrument/clone/clone.h"

enum { FIRST = offsetof(struct proact_partition, cta_first) };
enum {
    GRID = offsetof(struct proact_partition, grid),
    BY = offsetof(struct proact_partition, grid_divisor)
};

static bool is_index(const struct ptx_operand *o)
{
    return o->kind == PTX_SPECIAL && o->special >= PTX_CTAID_X &&
           o->special <= PTX_NCTAID_Z;
}

/* Number of the register that receives the index. */
static unsigned register_of(enum ptx_special special)
{
    return (unsigned)(special - PTX_CTAID_X);
}

/* %proact_r6 = %proact_rREG / the grid's extent. */
static void add_quotient(struct clone *c, uint32_t at, unsigned reg, int dimension)
{
    const int by = BY + (int)sizeof(struct proact_divisor) * dimension;

    edit_insert(&c->edits, at,
                "ld.param.u32 %%proact_r6, [" CLONE_PARTITION "+%d];\n\t"
                "mul.wide.u32 %%proact_d0, %%proact_r%u, %%proact_r6;\n\t"
                "ld.param.u32 %%proact_r6, [" CLONE_PARTITION "+%d];\n\t"
                "shr.u64 %%proact_d0, %%proact_d0, %%proact_r6;\n\t"
                "cvt.u32.u64 %%proact_r6, %%proact_d0;\n\t",
                by + (int)offsetof(struct proact_divisor, factor), reg,
                by + (int)offsetof(struct proact_divisor, shift));
}

/* A value below the grid's extent skips the division. */
static void add_remainder(struct clone *c, uint32_t at, unsigned reg, int dimension)
{
    unsigned label = c->labels++;

    edit_insert(&c->edits, at,
                "ld.param.u32 %%proact_r7, [" CLONE_PARTITION "+%d];\n\t"
                "setp.lt.u32 %%proact_p0, %%proact_r%u, %%proact_r7;\n\t"
                "@%%proact_p0 bra $proact_%u;\n\t",
                GRID + 4 * dimension, reg, label);
    add_quotient(c, at, reg, dimension);
    edit_insert(&c->edits, at,
                "mul.lo.u32 %%proact_r6, %%proact_r6, %%proact_r7;\n\t"
                "sub.u32 %%proact_r%u, %%proact_r%u, %%proact_r6;\n$proact_%u:\n\t",
                reg, reg, label);
}

/* Linear number in the grid of the CTA, or of its row or plane. */
static void add_number(struct clone *c, uint32_t at, unsigned reg, int dimension)
{
    edit_insert(&c->edits, at,
                "ld.param.u32 %%proact_r6, [" CLONE_PARTITION "+%d];\n\t"
                "mov.u32 %%proact_r%u, %%ctaid.%c;\n\t"
                "add.u32 %%proact_r%u, %%proact_r%u, %%proact_r6;\n\t",
                FIRST, reg, "xyz"[dimension], reg, reg);
}

static void add_place(struct clone *c, uint32_t at, enum ptx_special special)
{
    unsigned reg = register_of(special);

    add_number(c, at, reg, 0);
    for (int d = 0; d < (int)(special - PTX_CTAID_X); d++) {
        add_quotient(c, at, reg, d);
        edit_insert(&c->edits, at, "mov.u32 %%proact_r%u, %%proact_r6;\n\t", reg);
    }
    if (special != PTX_CTAID_Z)
        add_remainder(c, at, reg, (int)(special - PTX_CTAID_X));
}

/* Index of a CTA in a partition of complete rows or planes. Along the partition axis the
   index starts at the partition's first; along the faster dimensions it is %ctaid. Every
   warp of every CTA executes this code, so it avoids divisions. */
static void clone_add_place(struct clone *c, uint32_t at, enum ptx_special special)
{
    const unsigned reg = register_of(special);
    const int dimension = (int)(special - PTX_CTAID_X);
    const int axis = (int)c->request->places - INSTRUMENT_FLAT;

    if (dimension == axis)
        add_number(c, at, reg, dimension);
    else if (dimension < axis)
        edit_insert(&c->edits, at, "mov.u32 %%proact_r%u, %%ctaid.%c;\n\t", reg,
                    "xy"[dimension]);
    else
        edit_insert(&c->edits, at, "mov.u32 %%proact_r%u, 0;\n\t", reg);
}

static void add_extent(struct clone *c, uint32_t at, enum ptx_special special)
{
    edit_insert(&c->edits, at, "ld.param.u32 %%proact_r%u, [" CLONE_PARTITION "+%d];\n\t",
                register_of(special), GRID + 4 * (int)(special - PTX_NCTAID_X));
}

enum proact_status replace_indices(struct clone *c)
{
    const struct ptx_function *f = c->function;

    for (uint32_t n = 0; n < f->instruction_count; n++) {
        const struct ptx_instruction *i = &f->instructions[n];
        unsigned made = 0;

        for (uint32_t k = 0; k < i->operand_count; k++) {
            const struct ptx_operand *o = &i->operands[k];

            if (!is_index(o))
                continue;
            unsigned reg = register_of(o->special);

            if (made >> reg & 1)
                ;
            else if (o->special >= PTX_NCTAID_X)
                add_extent(c, i->span.offset, o->special);
            else if (c->request->places == INSTRUMENT_LINE)
                add_place(c, i->span.offset, o->special);
            else
                clone_add_place(c, i->span.offset, o->special);
            made |= 1u << reg;
            edit_replace(&c->edits, o->span, "%%proact_r%u", reg);
        }
    }
    return PROACT_OK;
}
