/* SPDX-License-Identifier: Apache-2.0 */
/* Launches that record or replay, and the occurrences of their CTAs. */
#include "device/emulator/quanta/quanta_run.h"

#include <stdlib.h>

#include "base/memory.h"

struct quanta_use *quanta_use_find(struct device_set *set,
                                   const struct device_quanta_launch *launch)
{
    struct quanta_use *u = set->quanta_uses;

    if (launch->mode == DEVICE_QUANTA_NONE)
        return NULL;
    while (u && u->shape != launch->shape)
        u = u->next;
    if (u)
        return u;
    u = must_calloc(1, sizeof *u);
    u->shape = launch->shape;
    u->seen = must_calloc(launch->shape->cta_count, sizeof *u->seen);
    u->next = set->quanta_uses;
    set->quanta_uses = u;
    return u;
}

void quanta_uses_clear(struct device_set *set)
{
    while (set->quanta_uses) {
        struct quanta_use *next = set->quanta_uses->next;

        free(set->quanta_uses->seen);
        free(set->quanta_uses);
        set->quanta_uses = next;
    }
}

void quanta_run_begin(struct emulated *d, struct kernel_run *run,
                      const struct device_quanta_launch *launch, struct quanta_use *use,
                      quanta_execute *execute)
{
    if (!use)
        return;
    struct quanta_run *q = must_calloc(1, sizeof *q);

    q->launch = launch;
    q->use = use;
    if (launch->slot_count)
        q->partition = (const void *)((const unsigned char *)run->launch.parameters +
                                      launch->partition_offset);
    for (uint32_t s = 0; s < launch->slot_count; s++) {
        const uint64_t base = (uint64_t)(uintptr_t)q->partition->slot[s].base;
        const struct allocation *in = memory_find(&d->set->memory, base, NULL);

        q->first[s] = base;
        q->end[s] = in ? in->end : base;
    }
    q->replays = launch->mode == DEVICE_QUANTA_REPLAY;
    run->quanta = q;
    if (!q->replays && use->shape->book->sample > 1)
        quanta_sample_run(d, run, execute);
}

void quanta_cta_begin(struct emulated *d, struct resident *r)
{
    const struct quanta_run *q = r->run->quanta;
    const uint32_t cta = quanta_cta(r), seen = q->use->seen[cta]++;

    (q->replays ? quanta_replay_begin : quanta_record_begin)(d, r, cta, seen);
}
