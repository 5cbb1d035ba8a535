/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Operations on registers that know about widths, windows and parameters, and so are not
   plain arithmetic. */

#include "execute/op.h"
#include "execute/program.h"

/* Copies lanes of 4, 8 or 16 bytes, 0: a predicate. */
op_lanes *convert_move(unsigned bytes);
/* Widens with zeros or cuts. */
op_lanes *convert_resize(unsigned from_bytes, unsigned to_bytes);

/* detail[0]: bytes of an element, [1]: elements or which one, [2]: bytes of the whole lane. */
op_lanes convert_pack, convert_unpack;
/* from[0] plus from[1], 8 bytes a lane: into and out of a window. */
op_lanes convert_add;
op_lanes convert_not_predicate;
/* detail[0]: enum ptx_space; from[0] is a generic address. */
op_lanes convert_is_space;
/* A kernel parameter: from[0] lies in FILE_LAUNCH, raw. detail[0]: its bytes, [1]: whether it
   extends with its sign, [2]: bytes of the lane. */
op_lanes convert_parameter;
/* Finds how the 32 addresses of a register lie, `bytes` (4 or 8) each. */
void spread_find(struct spread *s, const void *base, unsigned bytes);
/* The same as an operation: of from[0], detail[0] bytes a lane. */
op_lanes convert_spread;
