/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Recording and replay of quanta in a launch: called by the launch path and by turns. */

#include "device/emulator/kernel/kernel_run.h"
#include "device/emulator/quanta/quanta_book.h"

/* A launch that records or replays. */
struct quanta_run {
    const struct device_quanta_launch *launch; /* of the operation */
    struct quanta_use *use;
    bool replays;
    const struct proact_partition *partition; /* in the parameters; NULL: none */
    /* The arrays of the slots on this device. */
    uint64_t first[PROACT_SLOTS_MAX], end[PROACT_SLOTS_MAX];
};

/* Counter of the occurrences of a launch in its set, created at the first one. NULL: the
   launch neither records nor replays. Called by the host, while no device runs. */
struct quanta_use *quanta_use_find(struct device_set *set,
                                   const struct device_quanta_launch *launch);
void quanta_uses_clear(struct device_set *set);

/* Executes a turn of a CTA; its resources are added to the device's `usage`. */
typedef enum execute_stop quanta_execute(struct emulated *d, struct resident *r);
/* Sets run->quanta before the first CTA, and executes its sample. */
void quanta_run_begin(struct emulated *d, struct kernel_run *run,
                      const struct device_quanta_launch *launch, struct quanta_use *use,
                      quanta_execute *execute);

/* A CTA of such a launch begins. */
void quanta_cta_begin(struct emulated *d, struct resident *r);

/* quanta_record.c: a CTA begins, in an occurrence of its shape. A turn of a recorded CTA
   has ended with the device's `usage`; a warp of it stores. */
void quanta_record_begin(struct emulated *d, struct resident *r, uint32_t cta,
                         uint32_t seen);
void quanta_record_turn(struct emulated *d, struct resident *r, enum execute_stop stop);
void quanta_record_store(struct emulated *d, const struct execute_warp *w,
                         const struct execute_access *a);

struct cta_quanta *quanta_add_occurrence(struct shape_cta *c);
/* Number of a CTA in the complete grid. */
uint32_t quanta_cta(const struct resident *r);

/* quanta_sample.c: executes the CTAs of a sample before the launch, which then replays. */
void quanta_sample_run(struct emulated *d, struct kernel_run *run, quanta_execute *execute);

/* quanta_replay.c: a CTA begins, in an occurrence of its shape. Whether it has recorded
   quanta left. Adds the next one to the device's `usage`, with its stores. */
void quanta_replay_begin(struct emulated *d, struct resident *r, uint32_t cta,
                         uint32_t seen);
bool quanta_replay_is_left(const struct resident *r);
void quanta_replay_turn(struct emulated *d, struct resident *r);

/* quanta_stores.c: sends the recorded stores from index `from` on to the peers. */
void quanta_stores_send(struct emulated *d, struct resident *r, size_t from, size_t end);
