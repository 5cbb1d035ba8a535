/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the machine tells the checker; nothing at all while it is off. Those that return a
   bool have stopped the device when they return false. */

#include "device/emulator/kernel/kernel_run.h"
#include "device/emulator/stream/stream.h"

/* New memory that the machine itself has filled. */
void checked_ready(struct device_set *set, uint64_t address, uint64_t bytes);
void checked_cta_begin(struct emulated *d, struct resident *r);
void checked_cta_end(struct emulated *d, struct resident *r);
/* Memory for a child's parameters is handed out; a warp launches it; it has ended. */
void checked_child_parameters(struct emulated *d, uint64_t address, uint64_t bytes);
void checked_child_launch(struct emulated *d, struct kernel_run *child,
                          const struct execute_warp *w, uint64_t address, uint64_t bytes);
void checked_child_end(struct emulated *d, const struct kernel_run *child);
void checked_shared(struct emulated *d, struct execute_warp *w, enum execute_order order);
void checked_barrier(struct emulated *d, struct resident *r);
void checked_cluster(struct emulated *d, struct resident *const *all, uint32_t count);
bool checked_access(struct emulated *d, struct execute_warp *w,
                    const struct execute_access *a);
/* Loads and atomics that another device performs learn what their words tell when they get
   there: which lanes' accesses these are, and that they are there. */
struct checked_lanes {
    enum execute_order order; /* weak: nothing is learnt */
    enum execute_scope scope;
    uint32_t actor;
};
struct checked_lanes checked_lanes(const struct emulated *d, const struct execute_warp *w,
                                   const struct execute_access *a);
void checked_arrival(struct emulated *d, const struct checked_lanes *lanes,
                     uint64_t address);
/* Whether it is a plain store that is checked: by checked_store(), where its values are
   known, and not by checked_access(). */
bool checked_is_store(const struct emulated *d, const struct execute_access *a);
/* Of 32 lanes' `values`. */
bool checked_store(struct emulated *d, struct execute_warp *w,
                   const struct execute_access *a, const unsigned char *values);
/* A lane's bulk store: by an actor of its own, which the warp knows only after it has
   waited for it. */
bool checked_bulk(struct emulated *d, struct execute_warp *w, unsigned lane,
                  const struct execute_access *a, uint32_t *actor);
void checked_bulk_wait(struct emulated *d, struct execute_warp *w, uint32_t actor);
void checked_bulk_end(struct emulated *d, struct resident *r, uint32_t actor);
void checked_fence(struct emulated *d, struct execute_warp *w, enum execute_order order,
                   enum execute_scope scope);

void checked_stream(struct emulated *d, struct device_stream *s); /* it begins something */
/* A stream stores to `to` and reads from `from`; 0: none, or host memory. */
bool checked_copy(struct emulated *d, const struct operation *o, uint64_t to, uint64_t from,
                  uint64_t bytes);
void checked_unit(struct emulated *d, const struct kernel_run *run, uint64_t from,
                  int64_t delta, uint64_t bytes);
void checked_record(struct emulated *d, struct device_stream *s, struct device_event *e);
void checked_wait_event(struct emulated *d, struct device_stream *s,
                        struct device_event *e);
void checked_wait_value(struct emulated *d, struct device_stream *s, uint64_t word);
void checked_write_value(struct emulated *d, struct device_stream *s, uint64_t word);
void checked_quiesce(struct device_set *set); /* all is done and the host knows */
