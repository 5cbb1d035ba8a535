/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The chunks that a device sends in a launch, in the order in which they are expected: the
   device starts its CTAs in order, so the last writer of a chunk decides. */

#include "agent.h"
#include "transfer/transfer.h"

/* free(*out). `b->slot` is filled. Of a mixed binding: those of this part. */
void expected_list(const struct transfer_binding *b, unsigned device,
                   struct agent_item **out, uint64_t *count);
