/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A decoded instruction and the registers it works on; private to this room.

   A register is 32 lanes of 4 or 8 bytes (16 for .b128), one after the other, or a
   predicate: one 32-bit mask. Values that cannot change are computed once and not in every
   warp: a register lives in one of four files, by what it depends on (see hoist.c). */

#include <stddef.h>
#include <stdint.h>

#include "execute/execute.h"

enum { LANES = 32 };

/* Where a register lives: the top two bits of its place; the rest is a byte offset. */
enum op_file {
    FILE_WARP,  /* this warp's own */
    FILE_SLOT,  /* by thread index: same for warp i of every CTA of the launch */
    FILE_CTA,   /* by CTA index: same for every warp of the CTA */
    FILE_LAUNCH /* constants, parameters, sizes: same for the whole launch */
};
typedef uint32_t op_place;
#define PLACE(file, offset) ((op_place)(file) << 30 | (op_place)(offset))
enum { PLACE_OFFSET = 0x3fffffff };
#define PLACE_NONE 0xffffffffu

/* What an arithmetic operation sees of a warp. */
struct op_registers {
    unsigned char *file[4];
};

static inline void *op_register(const struct op_registers *r, op_place place)
{
    return r->file[place >> 30] + (place & PLACE_OFFSET);
}

/* The carry flag CC.CF: a predicate of each warp. Operations with .cc, addc, subc and madc
   read and write it here beside what `from` and `to` say: the decoder keeps the place free
   and never computes them outside of a warp. */
#define OP_CARRY_PLACE PLACE(FILE_WARP, 0)

struct execute_op;

/* Performs an operation that touches registers only: computes all lanes, writes those of
   `mask`. Sources may be read in inactive lanes, whatever they hold; it must not trap. */
typedef void op_lanes(const struct op_registers *r, const struct execute_op *op,
                      uint32_t mask);

struct execute_op {
    op_lanes *lanes;   /* arithmetic; NULL where the interpreter itself acts */
    op_place to, to2;  /* destinations; PLACE_NONE for none */
    op_place more[2];  /* further ones, of a mov to four elements */
    op_place from[4];  /* sources, immediates included (they live in FILE_LAUNCH) */
    uint16_t code;     /* the interpreter's own operation (enum in program.h), 0: lanes */
    uint8_t detail[6]; /* of the operation: comparison, element bytes, lut, ... */
    uint32_t line;     /* in the PTX */
    uint32_t extra;    /* index into the program's side table of this kind of operation */
    const struct ptx_instruction *source;
};

/* Chooses the operation for an instruction that touches registers only, and fills `lanes`
   and `detail`. The caller has filled to, to2, from. How it reads them: a register of 1, 2
   or 4 bytes takes 4 bytes a lane; what it writes to a register narrower than 32 bits is
   zero-extended (u, b) or sign-extended (s) to 32; 64-bit types take 8 bytes a lane; f16 is
   the low 16 bits, f16x2 and bf16x2 all 32. from[k] is operand k + 1, and the elements of a
   vector are places of their own: a mov packs from[0..3] or unpacks to to, to2, more[].
   cvt may have registers wider than its types: `detail` then says on entry how many bytes a
   lane of `to` ([0]) and of from[0] ([1]) takes, 0 for what the types say.
   Returns false if we cannot execute it. */
typedef bool op_choose(const struct ptx_instruction *i, struct execute_op *op);

/* A product of matrices that all lanes hold together: see matrix.h. Products of elements
   are exact. Of floating-point numbers those of 32 bits and less are summed up in f64, in
   the order of k, and rounded once, to the nearest; of f64 each step is an fma. Integers
   wrap. */
struct matrix_product;
typedef void matrix_multiply(const struct op_registers *r, const struct matrix_product *p);

/* The same operations compiled for several processors; the best that runs here is taken. */
struct op_table {
    const char *processor;
    op_choose *choose;
    matrix_multiply *multiply;
};
const struct op_table *op_table_best(void);

/* For any x86-64; with AVX2 and FMA; with AVX-512. Elsewhere there is only the first. */
extern const struct op_table op_table_v1, op_table_v3, op_table_v4;
