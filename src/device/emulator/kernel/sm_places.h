/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Which CTAs have places on which SMs. */

#include "device/emulator/kernel/kernel_run.h"

/* CTAs of so many threads and so much shared memory that a device holds at once. */
uint64_t sm_places(const struct topology_device *t, uint64_t threads,
                   uint64_t shared_bytes);

bool run_waits(const struct kernel_run *run); /* some of its CTAs have no place yet */
bool sm_fits(const struct emulated *d, const struct kernel_run *run, uint32_t sm);
void sm_take(struct emulated *d, const struct kernel_run *run, uint32_t sm);
void sm_give(struct emulated *d, const struct kernel_run *run, uint32_t sm);

/* Takes places for the run's next cluster, all of it or none; without clusters for its next
   CTA. `sm` gets them, one for each of its CTAs. */
bool sm_take_next(struct emulated *d, const struct kernel_run *run,
                  uint32_t sm[EXECUTE_CLUSTER_MAX]);
