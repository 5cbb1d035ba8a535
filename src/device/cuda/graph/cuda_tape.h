/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Op list of a capture: stream operations in order, which at the end of the capture become
   one graph per device. */

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
    struct device_rows rows; /* of a copy, contiguous or strided */
    device_addr to;          /* of a fill; the word */
    size_t bytes;
    uint32_t value; /* also of a fill */
    struct device_reason reason;
    struct device_function *function;
    struct device_launch launch; /* its parameters are owned */
    struct device_event *event;
    size_t record;        /* of a wait: index of the record of its event */
    bool is_awaited_here; /* of a record: by streams of its own device */
    bool is_done_early;   /* of a record: complete at the start of the graph, for all
                             other devices */
};

/* Maximum operations per device of one part of a recording. A driver accepts some 1024
   operations of a blocked queue, then the host waits, although another device may need an
   operation that would unblock the queue. A recording is therefore launched in parts. */
enum { CUDA_PART_OPERATIONS = 256 };

struct device_graph {
    struct device_set *set;
    struct cuda_part { /* in this order; none waits for a later part */
        cu_graph_exec exec[TOPOLOGY_DEVICES_MAX]; /* NULL: no work there */
    } * part;
    size_t part_count, part_capacity;
    size_t first, end; /* of the op list: the part that is being captured */
    cu_address words[TOPOLOGY_DEVICES_MAX];
    struct cuda_wait *waits;
    size_t wait_count;
};

/* Makes stream `to` wait for the current work of `s`. */
cu_result cuda_come_together(struct device_set *set, struct device_stream *s,
                             const struct device_stream *to);

/* cuda_branches.c */
/* Assigns the streams of the device to branches of the current part, at most as many as the
   device has hardware queues. */
void cuda_merge_streams(const struct device_graph *g, unsigned device);
/* Emits the notifications to other devices of streams without previous work in the part,
   several per kernel. */
enum proact_status cuda_tell_at_begin(struct device_graph *g, unsigned device,
                                      struct proact_error *err);

/* cuda_tell.c */
/* Word on the device that a wait operation waits for. */
cu_address cuda_word_of(const struct device_graph *g, const struct cuda_taped_op *wait);
bool cuda_is_to_meet(const struct device_stream *s);
/* Emits the stream's pending notifications and waits. */
enum proact_status cuda_meet_now(struct device_stream *s, struct proact_error *err);
/* Notifies all waiting devices of a record in the op list, with the next operation of
   `by`. */
enum proact_status cuda_tell(const struct device_graph *g, size_t record,
                             struct device_stream *by, struct proact_error *err);

/* Appends an operation to the op list; parameters are copied. */
void cuda_tape(const struct cuda_taped_op *op);
void cuda_tape_clear(struct device_set *set);
