/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Matrices distributed over the lanes of a warp; private to this component. The part of one
   lane is a fragment. A fragment consists of blocks of 8 lines by 4 groups: lane l has
   group l % 4 of line l / 4.

   - A (M x K): a line is a row, a group is the content of one register.
   - B (K x N): a line is a column, a group is the content of one register.
   - C and D (M x N): a line is a row, a group is two elements.

   Blocks are ordered along M first (A, C), along K first (B). PTX defines this layout for
   mma. It leaves the layout of wmma open; we use the same one. */

#include "execute/op.h"

enum { MATRIX_LINES = 8, MATRIX_RUNS = 4, FRAGMENT_MAX = 8 };

/* Type of an element. */
enum matrix_kind {
    MATRIX_NONE,
    MATRIX_B1,
    MATRIX_S4,
    MATRIX_U4,
    MATRIX_S8,
    MATRIX_U8,
    MATRIX_E4M3,
    MATRIX_E5M2,
    MATRIX_F16,
    MATRIX_BF16,
    MATRIX_TF32,
    MATRIX_F32,
    MATRIX_S32,
    MATRIX_F64
};

static inline unsigned matrix_bits(enum matrix_kind kind)
{
    static const uint8_t bits[] = {0, 1, 4, 4, 8, 8, 8, 8, 16, 16, 32, 32, 32, 64};

    return bits[kind];
}

/* D = A * B + C. */
struct matrix_product {
    uint16_t m, n, k;
    uint8_t a, b, c, d; /* enum matrix_kind */
    bool saturates;     /* integers that do not fit into s32 */
    bool is_and;        /* of bits: counts those of AND instead of XOR */
    bool is_sparse;     /* A has M x K/2 elements; `metadata` gives their columns */
    uint8_t selector;   /* threads of each group of four that hold metadata */
    op_place metadata;
    op_place a_at[FRAGMENT_MAX], b_at[FRAGMENT_MAX], c_at[FRAGMENT_MAX], d_at[FRAGMENT_MAX];
    matrix_multiply *multiply;
};
