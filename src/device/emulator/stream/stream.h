/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Streams: operations of one device, executed in order. */

#include "device/emulator/kernel/kernel_run.h"

typedef void operation_begin(struct emulated *d, struct operation *o);

struct operation {
    operation_begin *begin; /* starts the operation, which ends with operation_done() */
    struct device_stream *stream;
    uint64_t stamp_ps, begin_ps; /* time when the host queued it; when it began */
    uint32_t number;             /* in the host's order; a batch has one number */
    struct operation *next;
    /* Host time of an operation of a batch without a stamp: serialized, and in total. */
    uint64_t turn_ps, call_ps;
    struct operation *next_kept;

    uint64_t to, from, bytes, done_bytes;     /* of copies, reads, writes and fills */
    uint64_t row_bytes, to_pitch, from_pitch; /* of strided copies */
    unsigned char value;                      /* FILL */
    uint32_t word;                            /* WAIT_VALUE, WRITE_VALUE */
    struct device_reason reason;              /* WAIT_VALUE */
    unsigned char *data;                      /* WRITE, launch parameters: owned */
    size_t data_bytes;
    struct write_image *image; /* WRITE of many bytes, instead of data: a reference */
    void *into;                /* READ: the caller's */
    bool *finished;            /* READ: the caller's */
    struct device_event *event;
    uint64_t generation;
    struct device_launch launch;
    struct device_function *function;
    uint64_t grid_id;
    struct quanta_use *quanta; /* of a launch that records or replays; NULL: none */
    bool is_played;            /* of a launched graph */
};

struct device_stream {
    struct device_set *set;
    unsigned device, lane;
    bool busy;              /* the first operation has begun */
    uint64_t kernel_end_ps; /* end of its last kernel; 0: none */
    unsigned copied_to;     /* peer of its last copy */
    struct operation *first, *last;
    uint32_t actor;            /* for the checker; 0: none */
    struct device_event *join; /* of graphs; NULL: none */
    bool is_ahead;             /* it has operations since the last launch of a graph */
    bool is_behind;            /* its next operation follows that launch (enqueue.c) */
    bool is_of_tape;           /* it takes part in the graph that is being launched */
    struct device_stream *next;
};

struct device_graph {
    struct device_set *set;
    struct operation *first, *last;
};

struct device_event {
    struct device_set *set;
    unsigned device;
    uint64_t recorded;            /* number of records queued so far */
    uint64_t done[DEVICES_MAX];   /* by device: the first done[d] records are known to be
                                     complete */
    uint64_t *early[DEVICES_MAX]; /* and these, since streams complete in any order */
    size_t early_count[DEVICES_MAX], early_capacity[DEVICES_MAX];
    uint32_t awaited[DEVICES_MAX]; /* number of waiting streams, by device */
    uint64_t time_ps;
    uint32_t actor;
    struct device_event *next;
};

/* Whether the device knows that a record of the event is complete. */
bool event_is_over(const struct device_event *e, unsigned device, uint64_t record);

/* host_time.c: stamps an operation. host_settle() stamps the operations of an open
   batch. */
void host_stamp(struct operation *o);
void host_settle(struct device_set *set);

/* Appends the operation, to the graph during a capture; takes ownership. */
void stream_enqueue(struct device_stream *s, struct operation *o);

/* Schedules the streams that have work, before the machine runs. */
void streams_start(struct device_set *set);
bool streams_idle(const struct device_set *set);
void stream_clear(struct device_stream *s); /* discards queued operations */
void operations_free(struct operation *first);

void operation_done(struct emulated *d, struct operation *o);
unsigned stream_lane(const struct operation *o);
uint32_t operation_actor(const struct operation *o);
const struct device_launch *operation_launch(const struct operation *o);
const struct device_function *operation_function(const struct operation *o);
uint64_t operation_grid_id(const struct operation *o);
struct quanta_use *operation_quanta(const struct operation *o);
/* Records the end of a kernel on its stream. */
void stream_ran(struct emulated *d, const struct operation *kernel);
/* Whether a starting kernel belongs to a graph, or was ready on its stream when the
   previous kernel ended. */
bool stream_runs_on(const struct emulated *d, const struct operation *kernel);

/* copy.c, stream_acts.c, kernel_run.c: effects of operations. */
operation_begin copy_begin, host_write_begin, host_read_begin, fill_begin, record_begin,
    wait_event_begin, wait_value_begin, write_value_begin, launch_begin;

/* image.c */
uint64_t module_variables(const struct device_module *m);
