/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Matrices that the lanes of a warp hold together; private to this room. A lane's part of
   one is a fragment, and a fragment is made of blocks of 8 lines by 4 runs: lane l has run
   l % 4 of line l / 4. Of A (M x K) a line is a row, of B (K x N) a column, and a run is
   what one register holds of it; of C and D (M x N) a line is a row, a run two elements.
   Blocks follow each other along M first (A, C), along K first (B). So PTX lays out those
   of mma; those of wmma, which it leaves open, are laid out alike. */

#include "execute/op.h"

enum { MATRIX_LINES = 8, MATRIX_RUNS = 4, FRAGMENT_MAX = 8 };

/* What an element is. */
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
    bool is_and;        /* of bits: counts those of AND, not of XOR */
    op_place a_at[FRAGMENT_MAX], b_at[FRAGMENT_MAX], c_at[FRAGMENT_MAX], d_at[FRAGMENT_MAX];
    matrix_multiply *multiply;
};
