/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Staging of `inline` stores. Sub-packet stores to peers waste link bandwidth. The kernel
   version INSTRUMENT_STAGE gathers them in shared memory and sends them in bulk at the end
   of each CTA. Each CTA must write exactly one contiguous range per array. */

#include <stdbool.h>
#include <stdint.h>

struct kernel_binding;
struct launching;

struct proact_partition;

/* Fills b->stage from the write set. */
void launch_stage_find(const struct launching *l, struct kernel_binding *b);
/* Whether staging is possible and the planner selects it. The binding is set. */
bool launch_stages(const struct launching *l);

/* Dynamic shared memory of the launch, including the staging buffer. */
uint32_t launch_shared_bytes(const struct launching *l);
/* Fills in the staged ranges of the partition parameter. */
void launch_stage_partition(const struct launching *l, unsigned device,
                            struct proact_partition *partition);
