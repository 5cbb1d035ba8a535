/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Streams: operations of one device, one after the other. */

#include "device/emulator/kernel/kernel_run.h"

typedef void operation_begin(struct emulated *d, struct operation *o);

struct operation {
    operation_begin *begin; /* which in the end calls operation_done() */
    struct device_stream *stream;
    uint64_t stamp_ps, begin_ps; /* when the host queued it; when it began */
    uint32_t number;             /* as the host queued them; a batch has one */
    struct operation *next;
    /* In a batch, until it is stamped: what the call takes the host, in turn and beside. */
    uint64_t turn_ps, call_ps;
    struct operation *next_kept;

    uint64_t to, from, bytes, done_bytes;     /* of copies and the like */
    uint64_t row_bytes, to_pitch, from_pitch; /* of copies, whose bytes are all rows */
    unsigned char value;                      /* FILL */
    uint32_t word;                            /* WAIT_VALUE, WRITE_VALUE */
    struct device_reason reason;              /* WAIT_VALUE */
    unsigned char *data;                      /* WRITE, launch parameters: owned */
    size_t data_bytes;
    void *into;     /* READ: the caller's */
    bool *finished; /* READ: the caller's */
    struct device_event *event;
    uint64_t generation;
    struct device_launch launch;
    struct device_function *function;
    uint64_t grid_id;
    bool is_played; /* of a graph */
};

struct device_stream {
    struct device_set *set;
    unsigned device, lane;
    bool busy;              /* the first operation has begun */
    uint64_t kernel_end_ps; /* of its last kernel; 0: none yet */
    unsigned copied_to;     /* by its last copy to a peer */
    struct operation *first, *last;
    uint32_t actor;            /* for the checker; 0: none yet */
    struct device_event *join; /* of graphs; NULL: none yet */
    struct device_stream *next;
};

struct device_graph {
    struct device_set *set;
    struct operation *first, *last;
};

struct device_event {
    struct device_set *set;
    unsigned device;
    uint64_t recorded;          /* records queued so far */
    uint64_t done[DEVICES_MAX]; /* by device: so many first records are known to be over */
    uint64_t *early[DEVICES_MAX]; /* and these: streams end in any order */
    size_t early_count[DEVICES_MAX], early_capacity[DEVICES_MAX];
    uint32_t awaited[DEVICES_MAX]; /* by so many streams of a device */
    uint64_t time_ps;
    uint32_t actor;
    struct device_event *next;
};

/* Whether the device knows that the event's record of that number is over. */
bool event_is_over(const struct device_event *e, unsigned device, uint64_t record);

/* host_time.c: when the host has queued it; what a batch keeps is stamped by the latter. */
void host_stamp(struct operation *o);
void host_settle(struct device_set *set);

/* Appends, to the tape where there is one; `o` is taken. */
void stream_enqueue(struct device_stream *s, struct operation *o);

/* Before the machine runs: whoever has work gets on the agenda. */
void streams_start(struct device_set *set);
bool streams_idle(const struct device_set *set);
void stream_clear(struct device_stream *s); /* forgets what is queued */
void operations_free(struct operation *first);

void operation_done(struct emulated *d, struct operation *o);
unsigned stream_lane(const struct operation *o);
uint32_t operation_actor(const struct operation *o);
const struct device_launch *operation_launch(const struct operation *o);
const struct device_function *operation_function(const struct operation *o);
uint64_t operation_grid_id(const struct operation *o);
void stream_ran(struct emulated *d, const struct operation *kernel); /* it has ended */
/* Whether a kernel that begins now is in a graph, or its stream had it ready when the
   kernel before it ended. */
bool stream_runs_on(const struct emulated *d, const struct operation *kernel);

/* copy.c, stream_acts.c, kernel_run.c: what operations do. */
operation_begin copy_begin, host_write_begin, host_read_begin, fill_begin, record_begin,
    wait_event_begin, wait_value_begin, write_value_begin, launch_begin;

/* image.c */
uint64_t module_variables(const struct device_module *m);
