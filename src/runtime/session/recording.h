/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Recording of launches that replay as one graph, and the bookkeeping of each replay. */

#include <proact/status.h>
#include <stdbool.h>
#include <stdint.h>

struct kernel_binding;
struct proact;
struct proact_array;
struct proact_kernel;

/* Called by launches during a recording. */
void recording_add_launch(struct proact *p, uint32_t epoch, const struct kernel_binding *b);
void recording_add_kernel(struct proact *p, const struct proact_kernel *k, unsigned device,
                          uint64_t sequence);
void recording_add_traffic(struct proact *p, struct proact_array *a, unsigned device,
                           uint64_t bytes, uint64_t chunks);
void recording_add_array(struct proact *p, struct proact_array *a);
/* Resets the counters of a table before its first recorded launch, because a replay finds
   them at the end of the previous one. */
enum proact_status recording_rewind(struct proact *p, const struct kernel_binding *b,
                                    struct proact_error *err);

/* Interrupts the recording until recording_resume(): operations of the devices are queued
   at once, and precede the replays. They do not follow recorded operations, and later ones
   do not wait for them: the end of the recording waits. Without a recording, no effect. */
void recording_pause(struct proact *p);
void recording_resume(struct proact *p);
/* Whether variables have not changed since the recording began; true without one. */
bool recording_has_variables(const struct proact *p);

/* Notes an operation that may use all memory and variables of device 0. */
void recording_note_first(struct proact *p);
/* Notes a recording of a program, which can record it again. */
void recording_note_program(struct proact *p);
/* Binds the recording to the current variables and constants, on which the split
   depends. */
void recording_follow_variables(struct proact *p);

/* Invalidate the recordings that use a kernel, before its bindings are dropped, or an
   array, before it is destroyed. */
void recordings_void(struct proact *p, const struct proact_kernel *k);
void recordings_forget(struct proact *p, const struct proact_array *a);
void recordings_destroy(struct proact *p);
/* Whether a recording contains launches of the kernel. */
bool recordings_use(const struct proact *p, const struct proact_kernel *k);
