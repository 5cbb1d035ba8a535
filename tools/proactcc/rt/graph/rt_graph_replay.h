/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What an executable graph has recorded: its calls are made one by one at first, as long as
   it takes to choose what is split. Then stretches of kernels, fills and copies that stay
   on the device are recorded, and replayed as long as nothing that was recorded changes. */

#include "rt/rt.h"

struct cuda_graph_exec;

struct graph_stretch {
    size_t first, end;                  /* operations */
    struct proact_recording *recording; /* NULL: they are called */
    struct graph_recorded {             /* as the calls would be counted */
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
    unsigned char *noted; /* the operations, as they were when last looked at */
    size_t noted_bytes, noted_capacity;
    uint64_t ranges; /* and of which number the program's memory was */
    uint64_t
        calls;     /* launches since then, or since a try, with a stretch that was called */
    uint64_t wait; /* so many come before the next try */
    uint64_t replays; /* of what is recorded */
};

enum cuda_error rt_graph_launch(struct rt *rt, struct cuda_graph_exec *exec,
                                const struct cuda_stream *stream);
void rt_graph_replay_drop(struct rt *rt, struct graph_replay *r);

/* A kernel was launched into the recording that is under way. */
void rt_graph_recorded(struct rt *rt, struct cuda_kernel *k, bool is_split);
