/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What an agent sends of a device's chunks. One CTA fills no link: were the last chunk, or
   a large one, sent by one alone, the others would be idle meanwhile. So a chunk is cut
   into as many slices as the agent has CTAs, but none so small that its start is felt. */

#include "agent.h"
#include "transfer/transfer.h"

/* Counted once for each peer that gets them. A CTA takes 6 us for so many on an H200, of
   which the way to a chunk's counter and back is a tenth. */
enum { SLICE_BYTES = 256 << 10 };

/* In the order in which the chunks are expected; free(*out). `b->slot` is filled. */
void slices_list(const struct transfer_binding *b, unsigned device, unsigned ctas,
                 struct agent_slice **out, uint64_t *count);
