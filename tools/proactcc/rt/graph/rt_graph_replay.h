/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Recordings of an executable graph. Its first launches make the calls one by one until the
   planner has decided the splits. Sequences of kernels, fills and device copies are then
   recorded. They replay until an operation or an allocation of the program changes. */

#include "rt/rt.h"

struct cuda_graph_exec;

struct graph_stretch {
    size_t first, end;                  /* operations */
    struct proact_recording *recording; /* NULL: the calls are made one by one */
    struct graph_recorded {             /* for the statistics */
        struct cuda_kernel *kernel;
        bool is_split;
        unsigned device;
    } * kernel;
    size_t kernel_count, kernel_capacity;
    uint64_t copied; /* bytes, on the device */
};

struct graph_replay {
    struct graph_stretch *stretch;
    size_t count, capacity;
    unsigned char *noted; /* the operations at the last check */
    size_t noted_bytes, noted_capacity;
    uint64_t ranges; /* rt_ranges.changes at that time */
    uint64_t calls; /* launches since the last change or attempt in which a sequence was not
                       recorded */
    uint64_t wait;  /* launches before the next attempt */
    uint64_t replays; /* of recordings */
    unsigned early;   /* attempts before the plans of the launches were settled */
};

enum cuda_error rt_graph_launch(struct rt *rt, struct cuda_graph_exec *exec,
                                const struct cuda_stream *stream);
void rt_graph_replay_drop(struct rt *rt, struct graph_replay *r);

/* A kernel launch that became part of the current recording. */
void rt_graph_recorded(struct rt *rt, struct cuda_kernel *k, bool is_split);
