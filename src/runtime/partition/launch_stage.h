/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Under `inline` a CTA's narrow stores, which fill no packets, are better gathered: staged
   in its shared memory, and sent to the peers in bulk at its end, by the clone
   INSTRUMENT_STAGE. That takes CTAs of which each writes one run of an array, all of it. */

#include "runtime/launch/launching.h"

/* Fills b->stage from what the launch writes. */
void launch_stage_find(const struct launching *l, struct kernel_binding *b);
/* Whether its CTAs' runs can be staged, and better were. Its binding was found. */
bool launch_stages(const struct launching *l);

/* Dynamic shared memory that it takes; with the stage, where it is staged. */
uint32_t launch_shared_bytes(const struct launching *l);
/* Tells a staged one's share its runs. */
void launch_stage_partition(const struct launching *l, unsigned device,
                            struct proact_partition *partition);
