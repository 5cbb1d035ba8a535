/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Events of the machine reported to the checker; no-ops while it is off. A function that
   returns false has stopped the device. */

#include "device/emulator/kernel/kernel_run.h"
#include "device/emulator/stream/stream.h"

/* New memory that the emulator itself initializes. */
void checked_ready(struct device_set *set, uint64_t address, uint64_t bytes);
void checked_cta_begin(struct emulated *d, struct resident *r);
void checked_cta_end(struct emulated *d, struct resident *r);
void checked_kernel_end(struct emulated *d, const struct kernel_run *run);
/* Child kernels: parameter memory is allocated, a warp launches the child, the child
   ends. */
void checked_child_parameters(struct emulated *d, uint64_t address, uint64_t bytes);
void checked_child_launch(struct emulated *d, struct kernel_run *child,
                          const struct execute_warp *w, uint64_t address, uint64_t bytes);
void checked_child_end(struct emulated *d, const struct kernel_run *child);
void checked_shared(struct emulated *d, struct execute_warp *w, enum execute_order order);
void checked_barrier(struct emulated *d, struct resident *r);
void checked_cluster(struct emulated *d, struct resident *const *all, uint32_t count);
bool checked_access(struct emulated *d, struct execute_warp *w,
                    const struct execute_access *a);
/* Lanes of an access that another device performs: loads and atomics acquire what their
   words carry when they are performed there. */
struct checked_lanes {
    enum execute_order order; /* weak: no synchronization */
    enum execute_scope scope;
    uint32_t actor;
};
struct checked_lanes checked_lanes(const struct emulated *d, const struct execute_warp *w,
                                   const struct execute_access *a);
void checked_arrival(struct emulated *d, const struct checked_lanes *lanes,
                     uint64_t address);
/* Whether checked_store(), which needs the values, checks the access instead of
   checked_access(). */
bool checked_is_store(const struct emulated *d, const struct execute_access *a);
/* `values` of 32 lanes. */
bool checked_store(struct emulated *d, struct execute_warp *w,
                   const struct execute_access *a, const unsigned char *values);
/* Bulk store of one lane, with an actor of its own. The warp synchronizes with it by
   waiting for the store. */
bool checked_bulk(struct emulated *d, struct execute_warp *w, unsigned lane,
                  const struct execute_access *a, uint32_t *actor);
void checked_bulk_wait(struct emulated *d, struct execute_warp *w, uint32_t actor);
void checked_bulk_end(struct emulated *d, struct resident *r, uint32_t actor);
void checked_bulk_over(struct emulated *d, uint32_t actor); /* after the last wait */
void checked_fence(struct emulated *d, struct execute_warp *w, enum execute_order order,
                   enum execute_scope scope);

/* Start of an operation of a stream. */
void checked_stream(struct emulated *d, struct device_stream *s);
/* Copy by a stream; an address of 0 means none or host memory. */
bool checked_copy(struct emulated *d, const struct operation *o, uint64_t to, uint64_t from,
                  uint64_t bytes);
void checked_unit(struct emulated *d, const struct kernel_run *run, uint64_t from,
                  int64_t delta, uint64_t bytes);
void checked_record(struct emulated *d, struct device_stream *s, struct device_event *e);
/* The event is recorded again or destroyed. */
void checked_event_end(const struct device_event *e);
void checked_wait_event(struct emulated *d, struct device_stream *s,
                        struct device_event *e);
void checked_wait_value(struct emulated *d, struct device_stream *s, uint64_t word);
void checked_write_value(struct emulated *d, struct device_stream *s, uint64_t word);
void checked_quiesce(struct device_set *set); /* all work is complete and the host knows
                                                 it */
