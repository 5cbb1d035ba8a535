/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Slices of chunks for the agent. One CTA does not saturate a link, so a large or last
   chunk that one CTA sends leaves the others idle. A chunk is therefore partitioned into
   one slice per CTA of the agent, but a slice is not so small that its start-up cost
   matters. */

#include "agent.h"
#include "transfer/transfer.h"

/* minimum, counted once per receiving peer. On an H200 a CTA takes 6 us for this size; the
   round trip to the counter of the chunk is a tenth of that. */
enum { SLICE_BYTES = 256 << 10 };

/* Writes the slices in the expected order of the chunks; the caller frees *out. `b->slot`
   is filled. */
void slices_list(const struct transfer_binding *b, unsigned device, unsigned ctas,
                 struct agent_slice **out, uint64_t *count);
