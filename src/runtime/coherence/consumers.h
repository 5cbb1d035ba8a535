/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Only what is needed moves. What others read of an array between two launches of the
   binding that writes it is what its next launch sends, to those who read it, while it
   still runs; the first one sends all to all, a program's to nobody. Where a reader is then
   surprised, what it lacks is brought before it (fetch.h): foresight never decides what is
   right, only what is early. */

#include "runtime/derive/needs.h"

/* By slot and device: what is read of what the binding writes. */
struct consumers {
    struct transfer_need *push_targets; /* what its tables send to whom; NULL: all to all */
    struct reads *push_reads;           /* ... for whom that read so */
    struct reads *observed;             /* since its last launch */
    struct reads *before;               /* between the two launches before that */
    struct transfer_need *part; /* of reads, each once: so that one more costs a look */
    size_t part_count, part_capacity;
    unsigned number; /* of the binding, among those for its shape */
    bool is_launched;
    bool follows_nobody; /* one that sent nothing */
    bool is_replaced;    /* by the next one */
};

void consumers_create(struct kernel_binding *b);
/* Ahead of consumers_create, which else begins with all to all: its first launch sends
   nothing, and who reads what it writes has that brought, once. Only what the host may look
   at at any time goes to the first device. */
void consumers_create_empty(struct kernel_binding *b, const struct launching *l);
void consumers_destroy(struct kernel_binding *b);
bool consumers_is_replaced(const struct kernel_binding *b);
/* Its next launch finds what it reads sent as it will be from now on: that before was not
   the one that sent all to all, or nothing, because nobody had read yet. */
bool consumers_are_known(const struct kernel_binding *b);
/* What the tables of a slot are made for. */
const struct transfer_need *consumers_push_targets(const struct kernel_binding *b,
                                                   unsigned slot);
uint64_t consumers_digest(const struct kernel_binding *b, unsigned slot);

/* What a device reads of what it writes to a slot, as far as that is known, is joined into
   a need; false: nobody could have read yet. */
bool consumers_predicted_read(const struct kernel_binding *b, unsigned slot,
                              unsigned device, struct transfer_need *into);

/* Whether a slot is written in too many stretches, none of them rows, for their holders to
   be kept apart: then all goes to all. */
bool consumers_are_scattered(const struct kernel_binding *b, unsigned slot);

/* A device is about to read of an array that it may have written. */
void consumers_note_read(const struct proact_array *a, unsigned device,
                         const struct transfer_need *need);
/* It is launched. */
void consumers_restart(struct kernel_binding *b);
/* Where its next launch had better send otherwise: the wants of the binding that takes its
   place, whose they become. NULL: it is well as it is. */
struct consumers *consumers_update(struct kernel_binding *b);
