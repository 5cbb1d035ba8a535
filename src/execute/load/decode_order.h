/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "execute/load/decoder.h"

/* The blocks of `flow` in the order in which they become operations: text order where that
   will do. Lanes at the lowest place run first, so a block has to come behind all that
   lead to it, but for the way back in a loop, and no other block stands among a loop's.
   Else lanes that leave a branch early run ahead, into the next iteration or out of the
   loop, and do not meet the others where it ends, as a GPU's lanes do. */
const uint32_t *blocks_order(struct decoder *d, const struct ptx_flow *flow);
