/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Memory accesses of executing warps: callbacks of execute_host. */

#include "device/emulator/kernel/kernel_run.h"

/* global_access.c */
enum execute_verdict access_global(void *context, struct execute_warp *w,
                                   const struct execute_access *a);

/* Slow path, lane by lane. Returns GO if all lanes access local memory, else TAKEN. Sets
   `known` to the allocation of the last local lane. */
enum execute_verdict access_look_up(struct emulated *d, struct execute_warp *w,
                                    const struct execute_access *a,
                                    struct known_range *known);
/* Passes an access to this device's memory through the L2. */
void access_touch(struct emulated *d, uint64_t address, uint32_t bytes);

struct message;
/* Sends stores of a CTA, from `ready_ps` on and after its earlier ones. Returns the time at
   which the message leaves. */
uint64_t access_send(struct emulated *d, struct resident *r, struct message *m,
                     uint64_t ready_ps, uint64_t packets);

/* remote_access.c: accesses to other devices' memory, and waits for acknowledgements. */
enum execute_verdict access_far(void *context, struct execute_warp *w,
                                const struct execute_access *a, const struct execute_op *op,
                                const unsigned char *operands);
enum execute_verdict fence_global(void *context, struct execute_warp *w, uint32_t mask,
                                  enum execute_order order, enum execute_scope scope,
                                  uint32_t line);

/* bulk_access.c */
enum execute_verdict bulk_global(void *context, struct execute_warp *w,
                                 const struct execute_bulk *b);

/* Time of the warp's current instruction within the turn. */
static inline uint64_t instant(const struct emulated *d, const struct execute_warp *w)
{
    const struct topology_device *t = &d->set->topology->device;

    return d->now_ps + (uint64_t)((double)execute_warp_issued(w) * t->dependent_cycles *
                                  PS / t->clock_ghz);
}
