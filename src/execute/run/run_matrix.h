/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Helpers for matrix products: the addresses of fragments in memory, and exchanges between
   lanes. */

#include "execute/run/run.h"

/* CODE_MATRIX. Returns false after a fault. */
bool matrix_run(struct execute_warp *w, const struct execute_op *op, uint32_t mask);

/* Address of a lane's part of a block in memory: from[0] (base_bytes per lane) plus an
   offset in elements of `bits` bits. from[1] is the stride between lines in memory. */
struct matrix_lie {
    uint8_t slow, fast; /* of lane 0: lines in memory, and elements in the line */
    uint8_t run;        /* elements between the lanes of a block's line */
    uint8_t bits;
    bool lines_are_slow; /* lines of the block are lines in memory */
    uint8_t base_bytes;
};
void matrix_lie_set(struct execute_op *op, const struct matrix_lie *lie);
op_lanes matrix_address;

/* Inserts the low bits of from[0] at bit detail[0] of `to` and clears the bits above; and
   the inverse. */
op_lanes matrix_insert, matrix_extract;

/* from[0] of lane l % detail[0], detail[1] bytes per lane. */
op_lanes matrix_repeat;
/* ldmatrix. Lane l has line l as 8 words of 16 bits in from[0..3]. The lines of matrix
   detail[0] are in 8 consecutive lanes. `to` receives the lane's fragment. detail[1]:
   transposed. */
op_lanes matrix_spread;
/* stmatrix. Word detail[0] of the line that lane l stores, from the fragments of detail[2]
   matrices in from[]. */
op_lanes matrix_collect;
/* movmatrix */
op_lanes matrix_transpose;
