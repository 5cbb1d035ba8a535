/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What goes with products of matrices: where a lane's part lies in memory, and how parts
   change lanes. */

#include "execute/run/run.h"

/* CODE_MATRIX; false after a fault. */
bool matrix_run(struct execute_warp *w, const struct execute_op *op, uint32_t mask);

/* The address of what a lane has of a block in memory: from[0] (base_bytes a lane) and so
   many elements, of so many bits, from line to line in memory as from[1] says. */
struct matrix_lie {
    uint8_t slow, fast; /* of lane 0: lines in memory, and elements in the line */
    uint8_t run;        /* elements from lane to lane of a block's line */
    uint8_t bits;
    bool lines_are_slow; /* the block's lines are those in memory */
    uint8_t base_bytes;
};
void matrix_lie_set(struct execute_op *op, const struct matrix_lie *lie);
op_lanes matrix_address;

/* Bits detail[0] of `to` from the low ones of from[0], all above 0; and the way back. */
op_lanes matrix_insert, matrix_extract;

/* from[0] of lane l % detail[0], detail[1] bytes a lane. */
op_lanes matrix_repeat;
/* ldmatrix: lane l holds line l of 8 words of 16 bits in from[0..3], lines of matrix
   detail[0] are 8 lanes; `to` gets the lane's part of it. detail[1]: by columns. */
op_lanes matrix_spread;
/* stmatrix: word detail[0] of the line that lane l stores, from parts of detail[2]
   matrices in from[]. */
op_lanes matrix_collect;
/* movmatrix */
op_lanes matrix_transpose;
