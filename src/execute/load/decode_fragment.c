/* SPDX-License-Identifier: Apache-2.0 */
/* wmma.load and wmma.store: one access for each contiguous part of a lane's fragment. Every
   access goes through the host as usual. */
#include "execute/load/decode_matrix.h"
#include "execute/run/run_convert.h"
#include "execute/run/run_matrix.h"

struct fragment {
    const struct ptx_instruction *i;
    const struct ptx_operand *registers; /* a list */
    struct site at;                      /* base and offset */
    enum op_code code;
    op_place stride;
    bool is_load, lines_are_slow; /* see struct matrix_lie */
    uint8_t bits;                 /* of an element */
    uint8_t per;                  /* elements in a register */
    uint8_t run;                  /* consecutive elements of a lane */
    unsigned lines, steps;        /* blocks in direction of the lines, and of the groups */
    bool steps_first;             /* order of the blocks */
};

/* Accesses `count` elements of `bytes` bytes, `slow` lines and `fast` elements after lane
   0's address. */
static void access_emit(struct decoder *d, const struct fragment *f, unsigned slow,
                        unsigned fast, unsigned bytes, const op_place *values,
                        unsigned count)
{
    struct site s = f->at;
    enum op_code code = f->code;
    unsigned wide = s.base_bytes == 8;
    const struct matrix_lie lie = {(uint8_t)slow, (uint8_t)fast,     f->run,
                                   f->bits,       f->lines_are_slow, s.base_bytes};

    if (!d->moved[wide])
        d->moved[wide] = place_new(d, FILE_WARP, s.base_bytes);
    struct execute_op *op = emit_lanes(d, matrix_address, d->moved[wide], s.base);

    op->from[1] = f->stride;
    matrix_lie_set(op, &lie);
    s.base = d->moved[wide];
    s.access.kind = f->is_load ? EXECUTE_LOAD : EXECUTE_STORE;
    s.access.scope = scope_of(f->i);
    s.element = (uint8_t)bytes;
    s.count = (uint8_t)count;
    s.width = (uint8_t)lane_bytes(bytes);
    s.access.bytes = s.access.align = bytes * count;
    for (unsigned n = 0; n < count; n++)
        s.value[n] = values[n];
    site_spread(d, &s, -1);
    site_emit(d, &s, code);
}

/* Accesses element `part` of the group in `value`, for a group that is strided in
   memory. */
static void element_emit(struct decoder *d, const struct fragment *f, unsigned slow,
                         unsigned fast, op_place value, unsigned part)
{
    op_place aside = carried_place(d, 0);
    unsigned by = part % f->per * f->bits;

    if (f->per == 1) {
        access_emit(d, f, slow, fast, f->bits / 8, &value, 1);
    } else if (f->is_load) {
        access_emit(d, f, slow, fast, f->bits / 8, &aside, 1);
        emit_lanes(d, matrix_insert, value, aside)->detail[0] = (uint8_t)by;
    } else {
        emit_lanes(d, matrix_extract, aside, value)->detail[0] = (uint8_t)by;
        access_emit(d, f, slow, fast, f->bits / 8, &aside, 1);
    }
}

static void block_emit(struct decoder *d, const struct fragment *f, unsigned n,
                       const op_place *values)
{
    unsigned line = f->steps_first ? n / f->steps : n % f->lines;
    unsigned step = f->steps_first ? n % f->steps : n / f->lines;
    unsigned at = step * MATRIX_RUNS * f->run;

    line *= MATRIX_LINES;
    if (f->lines_are_slow) {
        access_emit(d, f, line, at, f->per * f->bits / 8u, values, f->run / f->per);
        return;
    }
    for (unsigned p = 0; p < f->run; p++)
        element_emit(d, f, at + p, line, values[p / f->per], p);
}

static bool fragment_emit(struct decoder *d, const struct fragment *f)
{
    unsigned each = f->run / f->per, count = f->lines * f->steps * each;
    unsigned bytes = f->bits == 64 ? 8 : 4, has = f->registers->count;
    op_place values[FRAGMENT_MAX] = {0};

    if (!count || has > FRAGMENT_MAX || has % count ||
        (has != count && (!f->is_load || bytes == 8)))
        return refuse_instruction(d, f->i);
    for (unsigned n = 0; n < has; n++) {
        const struct ptx_operand *o = &f->registers->list[n];

        if (!operand_has_width(d, o, bytes))
            return refuse_instruction(d, f->i);
        if (f->is_load)
            values[n] = operand_target(d, o, bytes);
        else if (!operand_source(d, o, bytes, &values[n]))
            return false;
    }
    converge_all(d);
    for (unsigned n = 0; n < f->lines * f->steps; n++)
        block_emit(d, f, n, values + n * each);
    for (unsigned n = count; n < has; n++)
        emit_lanes(d, convert_move(4), values[n], values[n % count]);
    return true;
}

/* The matrix (A, B, C or D) determines the order of the blocks and a lane's elements. */
static void fragment_shape(struct fragment *f, const struct matrix_words *w)
{
    const struct ptx_instruction *i = f->i;
    bool is_a = ptx_has(i, PTX_PART_A), is_b = ptx_has(i, PTX_PART_B);
    enum matrix_kind kind = w->kinds[0];
    unsigned line_count = is_b ? w->n : w->m, run_count = is_a || is_b ? w->k : w->n;

    f->bits = (uint8_t)matrix_bits(kind);
    f->per = (uint8_t)(f->bits == 64 ? 1 : 32 / f->bits);
    f->run = is_a || is_b ? f->per : 2;
    f->lines = line_count / MATRIX_LINES;
    f->steps = run_count / (MATRIX_RUNS * f->run);
    f->steps_first = is_b;
    f->lines_are_slow = ptx_has(i, PTX_PART_COL) == is_b;
}

bool decode_fragment(struct decoder *d, const struct ptx_instruction *i)
{
    struct matrix_words w = matrix_words_read(i);
    struct fragment f = {.i = i, .is_load = ptx_has(i, PTX_PART_LOAD)};

    if (!w.is_known || w.kind_count != 1 || i->operand_count < 2 || i->operand_count > 3 ||
        i->operands[f.is_load].kind != PTX_MEMORY)
        return refuse_instruction(d, i);
    const struct ptx_operand *at = &i->operands[f.is_load];

    f.registers = &i->operands[!f.is_load];
    f.code = code_of_space(d, i->space);
    fragment_shape(&f, &w);
    struct ptx_operand alone = {.kind = PTX_VECTOR, .count = 1};

    if (f.registers->kind != PTX_VECTOR) {
        alone.list = &i->operands[!f.is_load];
        f.registers = &alone;
    }
    bool by_column = ptx_has(i, PTX_PART_COL), is_a = ptx_has(i, PTX_PART_A),
         is_b = ptx_has(i, PTX_PART_B);
    unsigned rows = is_b ? w.k : w.m, columns = is_a ? w.k : w.n;

    if ((f.bits < 8 && !f.lines_are_slow) || !site_base(d, &f.at, i, at, &f.code) ||
        (f.code != CODE_GLOBAL && f.code != CODE_SHARED && f.code != CODE_GENERIC))
        return refuse_instruction(d, i);
    if (i->operand_count == 2)
        f.stride = constant_place(d, by_column ? rows : columns, 4);
    else if (!operand_has_width(d, &i->operands[2], 4) ||
             !operand_source(d, &i->operands[2], 4, &f.stride))
        return refuse_instruction(d, i);
    return fragment_emit(d, &f);
}
