/* SPDX-License-Identifier: Apache-2.0 */
#include "execute/run/run_matrix.h"

bool matrix_run(struct execute_warp *w, const struct execute_op *op, uint32_t mask)
{
    const struct matrix_product *p = &w->grid->kernel->matrices[op->extra];

    if (mask != ~0u) {
        warp_fault(w, op->line, (unsigned)__builtin_ctz(mask),
                   "a product of matrices needs all 32 threads of a warp, and %d arrived",
                   __builtin_popcount(mask));
        return false;
    }
    p->multiply(&w->registers, p);
    return true;
}

void matrix_lie_set(struct execute_op *op, const struct matrix_lie *lie)
{
    _Static_assert(sizeof *lie == sizeof op->detail, "it lies in the operation's detail");
    memcpy(op->detail, lie, sizeof *lie);
}

void matrix_address(const struct op_registers *r, const struct execute_op *op,
                    uint32_t mask)
{
    const uint32_t *stride = op_register(r, op->from[1]);
    const void *base = op_register(r, op->from[0]);
    void *to = op_register(r, op->to);
    struct matrix_lie lie;

    memcpy(&lie, op->detail, sizeof lie);
    for (unsigned l = 0; l < LANES; l++) {
        unsigned line = l / MATRIX_RUNS, at = l % MATRIX_RUNS * lie.run;
        uint64_t slow = lie.slow + (lie.lines_are_slow ? line : at);
        uint64_t fast = lie.fast + (lie.lines_are_slow ? at : line);
        uint64_t offset = (slow * stride[l] + fast) * lie.bits / 8;

        if (!(mask >> l & 1))
            continue;
        if (lie.base_bytes == 8)
            ((uint64_t *)to)[l] = ((const uint64_t *)base)[l] + offset;
        else
            ((uint32_t *)to)[l] = ((const uint32_t *)base)[l] + (uint32_t)offset;
    }
}

void matrix_insert(const struct op_registers *r, const struct execute_op *op, uint32_t mask)
{
    uint32_t *to = op_register(r, op->to);
    const uint32_t *from = op_register(r, op->from[0]);
    unsigned by = op->detail[0];

    for (unsigned l = 0; l < LANES; l++)
        if (mask >> l & 1)
            to[l] = (to[l] & ((UINT32_C(1) << by) - 1)) | from[l] << by;
}

void matrix_extract(const struct op_registers *r, const struct execute_op *op,
                    uint32_t mask)
{
    uint32_t *to = op_register(r, op->to);
    const uint32_t *from = op_register(r, op->from[0]);

    for (unsigned l = 0; l < LANES; l++)
        if (mask >> l & 1)
            to[l] = from[l] >> op->detail[0];
}

void matrix_repeat(const struct op_registers *r, const struct execute_op *op, uint32_t mask)
{
    unsigned bytes = op->detail[1];
    unsigned char *to = op_register(r, op->to);
    const unsigned char *from = op_register(r, op->from[0]);

    for (; mask; mask &= mask - 1) {
        unsigned l = (unsigned)__builtin_ctz(mask);

        memcpy(to + l * bytes, from + l % op->detail[0] * bytes, bytes);
    }
}

static uint32_t half_of(uint32_t word, unsigned which)
{
    return word >> 16 * (which & 1) & 0xffff;
}

void matrix_spread(const struct op_registers *r, const struct execute_op *op, uint32_t mask)
{
    const uint32_t *word[4];
    uint32_t *to = op_register(r, op->to);
    unsigned first = MATRIX_LINES * op->detail[0];

    for (unsigned n = 0; n < 4; n++)
        word[n] = op_register(r, op->from[n]);
    for (; mask; mask &= mask - 1) {
        unsigned l = (unsigned)__builtin_ctz(mask), line = l / 4, run = l % 4;
        const uint32_t *column = word[line / 2] + first + 2 * run;

        to[l] = op->detail[1] ? half_of(column[0], line) | half_of(column[1], line) << 16
                              : word[run][first + line];
    }
}

/* Element `column` of the line, for lanes that have columns. */
static uint32_t from_column(const uint32_t *part, unsigned line, unsigned column)
{
    return half_of(part[4 * column + line / 2], line);
}

void matrix_collect(const struct op_registers *r, const struct execute_op *op,
                    uint32_t mask)
{
    uint32_t *to = op_register(r, op->to);
    unsigned word = op->detail[0];

    for (; mask; mask &= mask - 1) {
        unsigned l = (unsigned)__builtin_ctz(mask), line = l % MATRIX_LINES;
        const uint32_t *part = op_register(r, op->from[l / MATRIX_LINES % op->detail[2]]);

        to[l] = op->detail[1] ? from_column(part, line, 2 * word) |
                                    from_column(part, line, 2 * word + 1) << 16
                              : part[4 * line + word];
    }
}

void matrix_transpose(const struct op_registers *r, const struct execute_op *op,
                      uint32_t mask)
{
    uint32_t *to = op_register(r, op->to), out[LANES];
    const uint32_t *part = op_register(r, op->from[0]);

    for (unsigned l = 0; l < LANES; l++)
        out[l] = from_column(part, l / 4, l % 4 * 2) |
                 from_column(part, l / 4, l % 4 * 2 + 1) << 16;
    for (; mask; mask &= mask - 1) {
        unsigned l = (unsigned)__builtin_ctz(mask);

        to[l] = out[l];
    }
}
