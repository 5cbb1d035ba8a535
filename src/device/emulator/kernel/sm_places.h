/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* CTA slots of the SMs. */

#include "device/emulator/kernel/kernel_run.h"

/* Resident CTAs of the device for a CTA size and its shared memory. */
uint64_t sm_places(const struct topology_device *t, uint64_t threads,
                   uint64_t shared_bytes);

bool run_waits(const struct kernel_run *run); /* some CTAs have no slot yet */
bool sm_fits(const struct emulated *d, const struct kernel_run *run, uint32_t sm);
void sm_take(struct emulated *d, const struct kernel_run *run, uint32_t sm);
void sm_give(struct emulated *d, const struct kernel_run *run, uint32_t sm);

/* Allocates slots for the next cluster of the launch, or for its next CTA: all or none.
   Writes one SM per CTA to `sm`. */
bool sm_take_next(struct emulated *d, const struct kernel_run *run,
                  uint32_t sm[EXECUTE_CLUSTER_MAX]);
