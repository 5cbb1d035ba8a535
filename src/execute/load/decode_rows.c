/* SPDX-License-Identifier: Apache-2.0 */
/* ldmatrix, stmatrix and movmatrix: matrices of 8 lines of 16 bytes. Each lane gives the
   address of one line and has a part of every line. */
#include "execute/load/decode_matrix.h"
#include "execute/run/run_matrix.h"

static bool is_known(const struct ptx_instruction *i)
{
    static const uint16_t words[] = {PTX_PART_SYNC,      PTX_PART_ALIGNED, PTX_PART_M8N8,
                                     PTX_PART_X1,        PTX_PART_X2,      PTX_PART_X4,
                                     PTX_PART_TRANS,     PTX_PART_SHARED,  PTX_PART_B16,
                                     PTX_PART_SHARED_CTA};

    for (unsigned n = 0, k; n < i->part_count; n++) {
        for (k = 0; k < sizeof words / sizeof *words && words[k] != i->parts[n]; k++)
            ;
        if (k == sizeof words / sizeof *words)
            return false;
    }
    return ptx_has(i, PTX_PART_M8N8) && ptx_has(i, PTX_PART_B16) && i->operand_count == 2;
}

/* Access of one line per lane. With fewer than 32 lines, several lanes access the same
   line. */
static bool lines_emit(struct decoder *d, const struct ptx_instruction *i,
                       const struct ptx_operand *at, unsigned lines)
{
    bool is_load = i->opcode == PTX_LDMATRIX;
    struct site s = {.access = {.kind = is_load ? EXECUTE_LOAD : EXECUTE_STORE,
                                .bytes = 16,
                                .align = 16},
                     .element = 4,
                     .count = 4,
                     .width = 4};
    enum op_code code = code_of_space(d, i->space);

    if (!site_base(d, &s, i, at, &code) || (code != CODE_SHARED && code != CODE_GENERIC))
        return refuse_instruction(d, i);
    unsigned wide = s.base_bytes == 8;

    if (!d->moved[wide])
        d->moved[wide] = place_new(d, FILE_WARP, s.base_bytes);
    struct execute_op *op = emit_lanes(d, matrix_repeat, d->moved[wide], s.base);

    op->detail[0] = (uint8_t)lines;
    op->detail[1] = s.base_bytes;
    s.base = d->moved[wide];
    for (unsigned n = 0; n < 4; n++)
        s.value[n] = carried_place(d, n);
    site_spread(d, &s, -1);
    site_emit(d, &s, code);
    return true;
}

static bool decode_load(struct decoder *d, const struct ptx_instruction *i,
                        const struct ptx_operand *parts, unsigned count)
{
    if (!lines_emit(d, i, &i->operands[1], 8 * count))
        return false;
    for (unsigned n = 0; n < count; n++) {
        struct execute_op *op = emit_lanes(
            d, matrix_spread, operand_target(d, &parts[n], 4), carried_place(d, 0));

        for (unsigned k = 1; k < 4; k++)
            op->from[k] = carried_place(d, k);
        op->detail[0] = (uint8_t)n;
        op->detail[1] = ptx_has(i, PTX_PART_TRANS);
    }
    return true;
}

static bool decode_store(struct decoder *d, const struct ptx_instruction *i,
                         const struct ptx_operand *parts, unsigned count)
{
    op_place from[4] = {PLACE_NONE, PLACE_NONE, PLACE_NONE, PLACE_NONE};

    for (unsigned n = 0; n < count; n++)
        if (!operand_source(d, &parts[n], 4, &from[n]))
            return false;
    for (unsigned n = 0; n < 4; n++) {
        struct execute_op *op = emit_lanes(d, matrix_collect, carried_place(d, n), from[0]);

        memcpy(op->from, from, sizeof from);
        op->detail[0] = (uint8_t)n;
        op->detail[1] = ptx_has(i, PTX_PART_TRANS);
        op->detail[2] = (uint8_t)count;
    }
    return lines_emit(d, i, &i->operands[0], 8 * count);
}

bool decode_rows(struct decoder *d, const struct ptx_instruction *i)
{
    bool stores = i->opcode == PTX_STMATRIX;
    op_place from;

    if (!is_known(i))
        return refuse_instruction(d, i);
    const struct ptx_operand *o = &i->operands[stores];
    const struct ptx_operand *parts = o->kind == PTX_VECTOR ? o->list : o;
    unsigned count = o->kind == PTX_VECTOR ? o->count : 1;

    if (count != 1 && count != 2 && count != 4)
        return refuse_instruction(d, i);
    for (unsigned n = 0; n < count; n++)
        if (!operand_has_width(d, &parts[n], 4))
            return refuse_instruction(d, i);
    converge_all(d);
    if (i->opcode != PTX_MOVMATRIX)
        return stores ? decode_store(d, i, parts, count) : decode_load(d, i, parts, count);
    if (count != 1 || !operand_has_width(d, &i->operands[1], 4) ||
        !operand_source(d, &i->operands[1], 4, &from))
        return refuse_instruction(d, i);
    emit_lanes(d, matrix_transpose, operand_target(d, parts, 4), from);
    return true;
}
