/* SPDX-License-Identifier: Apache-2.0 */
#include "access/address/hull.h"
#include "access/values/resolve.h"

/* State spaces in the name of a copy: destination first, then source. */
static bool is_space(uint16_t part)
{
    return part == PTX_PART_GLOBAL || part == PTX_PART_SHARED ||
           part == PTX_PART_SHARED_CTA || part == PTX_PART_SHARED_CLUSTER;
}

bool hull_copy_kind(const struct ptx_instruction *i, enum access_kind *kind)
{
    uint16_t spaces[2] = {0};
    unsigned count = 0;

    *kind = ACCESS_OTHER;
    for (unsigned n = 0; n < i->part_count && count < 2; n++)
        if (is_space(i->parts[n]))
            spaces[count++] = i->parts[n];
    if (!ptx_has(i, PTX_PART_GLOBAL) || ptx_has(i, PTX_PART_PREFETCH)) /* not an array */
        return false;
    if (ptx_has(i, PTX_PART_TENSOR) || !ptx_has(i, PTX_PART_ASYNC) || count < 2)
        return true;
    if (spaces[1] == PTX_PART_GLOBAL)
        *kind = ACCESS_READ;
    else if (i->parts[0] == PTX_PART_ASYNC) /* otherwise the copy adds to its destination */
        *kind = ACCESS_WRITE;
    return true;
}

const struct ptx_operand *hull_operand(const struct ptx_instruction *i)
{
    enum access_kind kind;

    if (i->opcode != PTX_CP || !hull_copy_kind(i, &kind) || kind != ACCESS_READ ||
        i->operand_count < 3 || i->operands[1].kind != PTX_MEMORY)
        return NULL;
    return &i->operands[1];
}

const char *hull_reason(const struct ptx_instruction *i)
{
    return i->opcode == PTX_CP ? "is copied asynchronously"
                               : "is of a matrix that a warp shares";
}

/* Rows, columns and depth of a shape such as m16n16k16. */
static bool shape_of(const struct ptx_instruction *i, unsigned *m, unsigned *n, unsigned *k)
{
    static const struct {
        uint16_t part;
        uint8_t m, n, k;
    } rows[] = {
        {PTX_PART_M16N16K16, 16, 16, 16}, {PTX_PART_M32N8K16, 32, 8, 16},
        {PTX_PART_M8N32K16, 8, 32, 16},   {PTX_PART_M16N16K8, 16, 16, 8},
        {PTX_PART_M8N8K4, 8, 8, 4},
    };

    for (unsigned r = 0; r < sizeof rows / sizeof rows[0]; r++)
        if (ptx_has(i, rows[r].part)) {
            *m = rows[r].m;
            *n = rows[r].n;
            *k = rows[r].k;
            return true;
        }
    return false;
}

/* Range of a matrix: rows of consecutive elements, and a stride in elements. */
static bool matrix_hull(struct study *s, uint32_t instruction, struct access_hull *out)
{
    const struct ptx_instruction *i = &s->function->instructions[instruction];
    uint32_t block = s->regions->flow->block_of[instruction];
    unsigned m, n, k, each = ptx_type_bytes(i->type);

    if (!each || !shape_of(i, &m, &n, &k))
        return false;
    unsigned rows = ptx_has(i, PTX_PART_B) ? k : m;
    unsigned columns = ptx_has(i, PTX_PART_A) ? k : n;
    unsigned lines = ptx_has(i, PTX_PART_COL) ? columns : rows;

    out->bytes = rows * columns / lines * each;
    out->steps = (lines - 1) * each;
    if (i->operand_count < 3) { /* without gaps */
        out->bytes = rows * columns * each;
        out->steps = 0;
        return true;
    }
    out->step = resolve_form(s, study_operand(s, instruction, &i->operands[2]), block);
    return out->step != NULL;
}

bool hull_find(struct study *s, uint32_t instruction, struct access_hull *out)
{
    const struct ptx_instruction *i = &s->function->instructions[instruction];
    uint32_t block = s->regions->flow->block_of[instruction];

    if (i->opcode == PTX_WMMA)
        return matrix_hull(s, instruction, out);
    *out = (struct access_hull){.steps = 1};
    if (i->operand_count > 2) /* bytes of a copy; a further operand only reduces them */
        out->step = resolve_form(s, study_operand(s, instruction, &i->operands[2]), block);
    return out->step != NULL;
}
