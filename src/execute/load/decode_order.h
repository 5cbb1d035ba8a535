/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "execute/load/decoder.h"

/* Order in which the blocks of `flow` are emitted: text order where possible. Lanes at the
   lowest position run first. A block must therefore follow all its predecessors except
   along back edges, and no other block may be among those of a loop. Otherwise lanes that
   leave a branch early run ahead, into the next iteration or out of the loop. They would
   then not reconverge with the other lanes as on a GPU. */
const uint32_t *blocks_order(struct decoder *d, const struct ptx_flow *flow);
