/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Launches that are kept to be replayed as one graph, and what has to be accounted for
   each time. */

#include "runtime/session/session.h"

/* What launches call while one is under way. */
void recording_add_launch(struct proact *p, uint32_t epoch, const struct kernel_binding *b);
void recording_add_kernel(struct proact *p, const struct proact_kernel *k, unsigned device,
                          uint64_t sequence);
void recording_add_traffic(struct proact *p, struct proact_array *a, unsigned device,
                           uint64_t bytes, uint64_t chunks);
void recording_add_array(struct proact *p, struct proact_array *a);
/* The first launch that counts by a table sets its counters to zero, which a replay finds
   as the last one left them. */
enum proact_status recording_rewind(struct proact *p, const struct kernel_binding *b,
                                    struct proact_error *err);

/* Something is recorded that may use all of the first device's memory, and its variables.
 */
void recording_note_first(struct proact *p);
/* Of a program, which can record it anew. */
void recording_note_program(struct proact *p);
/* What is recorded is split as variables of modules, and constants, are now. */
void recording_follow_variables(struct proact *p);

/* Recordings that use the kernel, whose bindings go, or the array, which goes itself,
   cannot be replayed any more. */
void recordings_void(struct proact *p, const struct proact_kernel *k);
void recordings_forget(struct proact *p, const struct proact_array *a);
void recordings_destroy(struct proact *p);
/* Whether some recording has launches of the kernel. */
bool recordings_use(const struct proact *p, const struct proact_kernel *k);
