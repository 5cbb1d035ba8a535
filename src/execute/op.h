/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A decoded instruction and its registers; private to this component. A register is 32
   consecutive lanes of 4 or 8 bytes (16 for .b128), or a predicate: one 32-bit mask.
   Invariant values are computed once, not in every warp: a register is in one of four
   files, by its dependencies (see hoist.c). */

#include <stddef.h>
#include <stdint.h>

#include "execute/execute.h"

enum { LANES = 32 };

/* File of a register: the top two bits of its place. The other bits are a byte offset. */
enum op_file {
    FILE_WARP,  /* per warp */
    FILE_SLOT,  /* depends on the thread index: the same for warp i of every CTA of the
                   launch */
    FILE_CTA,   /* depends on the CTA index: the same for every warp of the CTA */
    FILE_LAUNCH /* constants, parameters, sizes: the same for the launch */
};
typedef uint32_t op_place;
#define PLACE(file, offset) ((op_place)(file) << 30 | (op_place)(offset))
enum { PLACE_OFFSET = 0x3fffffff };
#define PLACE_NONE 0xffffffffu

/* Registers of a warp, as arithmetic operations see them. */
struct op_registers {
    unsigned char *file[4];
};

static inline void *op_register(const struct op_registers *r, op_place place)
{
    return r->file[place >> 30] + (place & PLACE_OFFSET);
}

/* Changes the bits of the lanes in `mask`. The barrier keeps compilers from
   (*to ^ value) & mask ^ *to, which memcheck takes for uninitialized if inactive lanes
   are. */
static inline void blend_mask(uint32_t *to, uint32_t value, uint32_t mask)
{
    uint32_t inactive = *to & ~mask;

    __asm__("" : "+r"(inactive));
    *to = inactive | (value & mask);
}

/* Place of the carry flag CC.CF, a predicate of each warp. Operations with .cc, addc, subc
   and madc access it in addition to `from` and `to`. The decoder reserves the place and
   never hoists these operations. */
#define OP_CARRY_PLACE PLACE(FILE_WARP, 0)

struct execute_op;

/* Performs an operation that accesses registers only: computes all lanes and writes those
   of `mask`. It may read inactive lanes of sources, whose values are arbitrary, and must
   not trap. */
typedef void op_lanes(const struct op_registers *r, const struct execute_op *op,
                      uint32_t mask);

struct execute_op {
    op_lanes *lanes;   /* arithmetic; NULL: the interpreter performs it */
    op_place to, to2;  /* destinations; PLACE_NONE: none */
    op_place more[2];  /* further destinations, of a mov to four elements */
    op_place from[4];  /* sources, including immediates (in FILE_LAUNCH) */
    uint16_t code;     /* operation of the interpreter (enum in program.h), 0: lanes */
    uint8_t detail[6]; /* of the operation: comparison, element bytes, lut, ... */
    uint32_t line;     /* in the PTX */
    uint32_t extra;    /* index into the program's table for this kind of operation */
    const struct ptx_instruction *source;
};

/* Selects the operation for an instruction that accesses registers only, and fills `lanes`
   and `detail`. The caller has filled to, to2 and from. Returns false if the instruction is
   not supported.

   - A register of 1, 2 or 4 bytes takes 4 bytes per lane. A result narrower than 32 bits is
     zero-extended (u, b) or sign-extended (s) to 32. A 64-bit type takes 8 bytes per lane.
   - f16 is the low 16 bits; f16x2 and bf16x2 are all 32.
   - from[k] is operand k + 1. Elements of a vector have their own places: a mov packs
     from[0..3] or unpacks to to, to2, more[].
   - cvt may have registers wider than its types. On entry `detail` then gives the bytes per
     lane of `to` ([0]) and of from[0] ([1]); 0: as the types require. */
typedef bool op_choose(const struct ptx_instruction *i, struct execute_op *op);

/* Matrix product of all lanes: see matrix.h. Products of elements are exact. Floating-point
   products of 32 bits and less are summed in f64, in the order of k, and rounded once to
   nearest. For f64 each step is an fma. Integers wrap. */
struct matrix_product;
typedef void matrix_multiply(const struct op_registers *r, const struct matrix_product *p);

/* The same operations compiled for several processors. op_table_best() returns the best
   that this processor supports. */
struct op_table {
    const char *processor;
    op_choose *choose;
    matrix_multiply *multiply;
};
const struct op_table *op_table_best(void);

/* For any x86-64; with AVX2 and FMA; with AVX-512. Other architectures have only the
   first. */
extern const struct op_table op_table_v1, op_table_v3, op_table_v4;
