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

/* from[0] plus from[1], 8 bytes a lane: into and out of a window. */
op_lanes convert_add;
op_lanes convert_not_predicate;
/* from[0], 4 bytes a lane, plus `extra`: detail[0] bytes a lane. */
op_lanes convert_stack_address;
/* detail[0]: enum ptx_space, [1]: of the whole cluster; from[0] is a generic address,
   from[1] the CTA's rank. */
op_lanes convert_is_space;
/* Of an address of shared memory in from[0], detail[0] bytes a lane, [1]: a generic one:
   the same place in the CTA of rank from[1]; the rank of its CTA, from[1] being the own. */
op_lanes convert_map;
op_lanes convert_rank;
/* A kernel parameter: from[0] lies in FILE_LAUNCH, raw. detail[0]: its bytes, [1]: whether
   it extends with its sign, [2]: bytes of the lane. */
op_lanes convert_parameter;
/* How the addresses of from[0] lie, detail[0] bytes each: a struct spread. */
op_lanes convert_spread;
