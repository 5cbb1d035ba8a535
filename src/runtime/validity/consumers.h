/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Consumer prediction. For each array that a kernel binding writes, the
   session records the devices and ranges that read it before the next launch. That launch
   pushes these ranges while it runs. The first launch pushes everything to every device;
   the first launch of a CUDA program pushes nothing. A misprediction costs time, never
   correctness: a reader fetches its missing ranges before it starts (fetch.h). */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kernel_binding;
struct transfer_plan;
struct launching;
struct proact_array;

/* Predicted and observed reads of a binding's output. Arrays are indexed by slot * device
   count + device. */
struct consumers {
    struct transfer_need *push_targets; /* targets of the current tables; NULL: everything
                                           goes to every device */
    struct reads *push_reads;           /* reads from which push_targets was computed */
    struct reads *observed;             /* reads since the last launch */
    struct reads *before;               /* reads between the two launches before that */
    struct transfer_need *part; /* distinct needs of these reads; a repeated read costs one
                                   lookup */
    size_t part_count, part_capacity;
    unsigned number; /* index among the successive bindings of one shape */
    bool is_launched;
    bool follows_nobody; /* the preceding binding sent nothing */
    bool is_replaced;    /* a successor binding exists */
};

void consumers_create(struct kernel_binding *b);
/* Starts with empty push targets; consumers_create() follows. The first launch sends
   nothing, and each reader fetches once. Host-accessible arrays still go to device 0. */
void consumers_create_empty(struct kernel_binding *b, const struct launching *l);
void consumers_destroy(struct kernel_binding *b);
bool consumers_is_replaced(const struct kernel_binding *b);
/* Whether the next launch finds its inputs pushed as all later launches will. False before
   the first launch if no predecessor exists or the predecessor pushed nothing. */
bool consumers_are_known(const struct kernel_binding *b);
/* Targets of a slot's tables, one per device; NULL: everything goes to every device. */
const struct transfer_need *consumers_push_targets(const struct kernel_binding *b,
                                                   unsigned slot);
uint64_t consumers_digest(const struct kernel_binding *b, unsigned slot);

/* Adds the predicted reads of `device` from a slot to `into`. Returns false if no read
   could be recorded yet. */
bool consumers_predicted_read(const struct kernel_binding *b, unsigned slot,
                              unsigned device, struct transfer_need *into);

/* Whether the written ranges of a slot are too many for separate validity entries. The slot
   then goes to every device. */
bool consumers_are_scattered(const struct kernel_binding *b, unsigned slot);

/* Records that `device` is about to read `need` of an array with a known writer. */
void consumers_note_read(const struct proact_array *a, unsigned device,
                         const struct transfer_need *need);
/* Starts a new interval of recorded reads, after a launch of the binding. */
void consumers_restart(struct kernel_binding *b);
/* Consumers of a binding of the same shape under another plan, with the same push targets.
   NULL: nothing is known yet. */
struct consumers *consumers_copy(const struct kernel_binding *b,
                                 const struct transfer_plan *plan);
/* Consumers of a new binding under the plan with better push targets; the new binding takes
   ownership. NULL: the current targets stay. `replaces`: the plan is that of `b`, which is
   not used again. */
struct consumers *consumers_update(struct kernel_binding *b,
                                   const struct transfer_plan *plan, bool replaces);
