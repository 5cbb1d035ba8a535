/* SPDX-License-Identifier: Apache-2.0 */
#include "device/cuda/graph/cuda_tape.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Index of the last record of the event; it is in this op list. */
static size_t find_record(const struct device_set *set, const struct device_event *e)
{
    size_t i = set->tape_count;

    while (i-- > 0)
        if (set->tape[i].kind == TAPED_RECORD && set->tape[i].event == e)
            return i;
    return 0;
}

void cuda_tape(const struct cuda_taped_op *op)
{
    struct device_set *set = op->stream->set;
    struct cuda_taped_op kept = *op;

    if (op->kind == TAPED_WAIT_EVENT) {
        kept.record = find_record(set, op->event);
        struct cuda_taped_op *record = &set->tape[kept.record];

        record->is_awaited_here |= record->stream->device == op->stream->device;
    }
    if (op->kind == TAPED_LAUNCH) {
        void *parameters = must_calloc(1, op->launch.parameter_bytes + 1);

        if (op->launch.parameter_bytes)
            memcpy(parameters, op->launch.parameters, op->launch.parameter_bytes);
        kept.launch.parameters = parameters;
    }
    set->tape = must_grow(set->tape, set->tape_count, &set->tape_capacity, sizeof kept);
    set->tape[set->tape_count++] = kept;
}

void cuda_tape_clear(struct device_set *set)
{
    for (size_t i = 0; i < set->tape_count; i++)
        if (set->tape[i].kind == TAPED_LAUNCH)
            free((void *)(uintptr_t)set->tape[i].launch.parameters);
    free(set->tape);
    set->tape = NULL;
    set->tape_count = set->tape_capacity = 0;
    set->is_taping = false;
}
