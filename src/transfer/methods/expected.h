/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Expected order of the chunks that a device sends in a launch. A device starts its CTAs in
   order, so the last writer of a chunk decides. */

#include "agent.h"
#include "transfer/transfer.h"

/* Writes the list; the caller frees *out. `b->slot` is filled. Of a binding with several
   parts: the chunks of this part. */
void expected_list(const struct transfer_binding *b, unsigned device,
                   struct agent_item **out, uint64_t *count);
