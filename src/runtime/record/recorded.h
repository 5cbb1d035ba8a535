/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The inside of a recording, for what takes it down and what replays it. */

#include "runtime/record/recording.h"

struct recorded_kernel {
    const struct proact_kernel *kernel;
    unsigned device;
    uint64_t sequence; /* of its launch */
};

/* What counters a replay begins at zero, and leaves how far. */
struct recorded_table {
    struct transfer_tables *tables;
    uint32_t kept, epochs; /* before the recording; in it */
};

/* Who must hold what before a replay, and who holds it then. */
struct recorded_array {
    struct proact_array *array;
    struct validity_map before, after;
};

struct recorded_traffic {
    struct proact_array *array;
    unsigned device;
    uint64_t bytes, chunks;
};

struct proact_recording {
    struct proact *session;
    struct proact_recording *next;
    struct device_graph *graph;
    uint64_t begin, end; /* of the session: the sequence's last, so far */
    const char *missing; /* why it cannot be replayed; NULL: it can */
    bool is_elsewhere;   /* more than the first device's lane MAIN works */
    bool uses_first;     /* something runs there that may use all its memory */
    bool is_program;     /* of blocks: who made it can make it anew */
    bool follows;        /* it is good only while variables stand at these numbers */
    uint64_t variables, constants;
    unsigned behind; /* replays in a row, the last ones, that had arrays to bring first */
    struct session_launch *launch;
    size_t launch_count, launch_capacity;
    struct recorded_kernel *kernel;
    size_t kernel_count, kernel_capacity;
    struct recorded_traffic *traffic;
    size_t traffic_count, traffic_capacity;
    struct recorded_array *array;
    size_t array_count, array_capacity;
    struct recorded_table *table;
    size_t table_count, table_capacity;
};
