/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What streams are given while a graph is recorded: kept in order, and turned at its end
   into one graph a device. */

#include "device/cuda/cuda_set.h"

enum cuda_taped {
    TAPED_COPY,
    TAPED_FILL,
    TAPED_LAUNCH,
    TAPED_WAIT_VALUE,
    TAPED_WRITE_VALUE,
    TAPED_RECORD,
    TAPED_WAIT_EVENT
};

struct cuda_taped_op {
    enum cuda_taped kind;
    struct device_stream *stream;
    device_addr to, from; /* to: also the word */
    size_t bytes;
    uint32_t value; /* also of a fill */
    struct device_reason reason;
    struct device_function *function;
    struct device_launch launch; /* its parameters are owned */
    struct device_event *event;
    size_t record;        /* of a wait: where the event was recorded */
    bool is_awaited_here; /* of a record: by streams of its own device */
};

/* Keeps the operation; parameters are copied. */
void cuda_tape(const struct cuda_taped_op *op);
void cuda_tape_clear(struct device_set *set);
