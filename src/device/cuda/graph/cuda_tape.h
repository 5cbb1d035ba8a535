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
    struct device_rows rows; /* of a copy, one or many */
    device_addr to;          /* of a fill; the word */
    size_t bytes;
    uint32_t value; /* also of a fill */
    struct device_reason reason;
    struct device_function *function;
    struct device_launch launch; /* its parameters are owned */
    struct device_event *event;
    size_t record;        /* of a wait: where the event was recorded */
    bool is_awaited_here; /* of a record: by streams of its own device */
    bool is_done_early;   /* of one: at the graph's begin, to all other devices */
};

/* A driver keeps some 1024 operations of a queue that stands and makes the host wait with
   more, though another device may have to be given what the first one stands for. So what
   is recorded is launched part by part, in each of which no device does more than this. */
enum { CUDA_PART_OPERATIONS = 256 };

struct device_graph {
    struct device_set *set;
    struct cuda_part { /* in this order: none waits for a later one */
        cu_graph_exec exec[TOPOLOGY_DEVICES_MAX]; /* NULL: nothing is done there */
    } * part;
    size_t part_count, part_capacity;
    size_t first, end; /* of the tape: the part that is being captured */
    cu_address words[TOPOLOGY_DEVICES_MAX];
    struct cuda_wait *waits;
    size_t wait_count;
};

/* Stream `to` goes on when this one has come so far. */
cu_result cuda_come_together(struct device_set *set, struct device_stream *s,
                             const struct device_stream *to);

/* cuda_branches.c */
/* Which stream each of the device's goes with in the part that is being captured, so that
   these are no more than it has queues. */
void cuda_merge_streams(const struct device_graph *g, unsigned device);
/* Of what that part begins with: what the device has to tell others of streams that do
   nothing before, in one kernel a few. */
enum proact_status cuda_tell_at_begin(struct device_graph *g, unsigned device,
                                      struct proact_error *err);

/* cuda_tell.c */
/* Of that device, which the operation waits for. */
cu_address cuda_word_of(const struct device_graph *g, const struct cuda_taped_op *wait);
bool cuda_is_to_meet(const struct device_stream *s);
/* What the stream has to tell and to wait for, now. */
enum proact_status cuda_meet_now(struct device_stream *s, struct proact_error *err);
/* That the stream came to the record, of the tape, is told whoever waits for it: with what
   `by` does next. */
enum proact_status cuda_tell(const struct device_graph *g, size_t record,
                             struct device_stream *by, struct proact_error *err);

/* Keeps the operation; parameters are copied. */
void cuda_tape(const struct cuda_taped_op *op);
void cuda_tape_clear(struct device_set *set);
