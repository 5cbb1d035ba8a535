/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Contents of a recording, for its creation and its replay. */

#include "runtime/objects/validity.h"

struct recorded_kernel {
    const struct proact_kernel *kernel;
    unsigned device;
    uint64_t sequence; /* sequence number of its launch */
};

/* Counter table of the recording, whose counters a replay resets. */
struct recorded_table {
    struct transfer_tables *tables;
    uint32_t kept, epochs; /* epochs before the recording, and in it */
};

/* Validity maps that a replay requires and leaves. */
struct recorded_array {
    struct proact_array *array;
    struct validity_map before, after;
};

struct recorded_traffic {
    struct proact_array *array;
    unsigned device;
    uint64_t bytes, chunks;
};

/* Launches of one shape in a recording, with their plan (kernel/recorded_plan.h). */
struct recorded_plan;

struct proact_recording {
    struct proact *session;
    struct proact_recording *next;
    struct device_graph *graph;
    uint64_t begin, end; /* sequence numbers of the session at the start and end of the
                            recording */
    const char *missing; /* reason why it cannot be replayed; NULL: it can */
    bool is_elsewhere;   /* it uses streams other than the kernel stream of device 0 */
    bool uses_first;     /* some operation may use all memory of device 0 */
    bool is_program;     /* made of parameter-buffer launches: the program can record it
                            again */
    bool was_paused;     /* recording_pause() */
    bool follows;        /* valid only while variables and constants have these counts */
    uint64_t variables, constants;
    uint64_t variables_before; /* count at the start of the recording */
    unsigned behind; /* consecutive replays, up to the last one, that started with a
                        fetch */
    struct session_launch *launch;
    size_t launch_count, launch_capacity;
    struct recorded_kernel *kernel;
    size_t kernel_count, kernel_capacity;
    struct recorded_traffic *traffic;
    size_t traffic_count, traffic_capacity;
    struct recorded_array *array;
    size_t array_count, array_capacity;
    struct recorded_plan *plan;
    size_t plan_count, plan_capacity;
    unsigned replays;           /* at most UINT_MAX */
    unsigned timed;             /* of them */
    uint64_t least_ns, most_ns; /* of the timed ones */
    struct recorded_table *table;
    size_t table_count, table_capacity;
};
