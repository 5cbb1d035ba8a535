/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Exchanges between the lanes of a warp at the same instruction. */

#include "execute/op.h"

/* Fills `lanes` and `detail` for shfl, vote, match, redux, elect and activemask. */
bool collective_choose(const struct ptx_instruction *i, struct execute_op *op);
