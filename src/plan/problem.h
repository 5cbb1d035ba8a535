/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Problem of the planner: what a launch computes and what it sends. Immutable. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/predict.h"
#include "plan/plan.h"
#include "topology/topology.h"

enum { PLAN_DEVICES_MAX = 16, PLAN_METHODS_MAX = 16 };

/* Row of the table of transfer methods that the launch may use. */
struct plan_method {
    const char *name;
    enum model_sender initiator;
    bool takes_chunks, takes_threads; /* fields of a plan that the method uses */
    bool schedules;                   /* without a chunk size, the model selects chunks */
    bool is_unrecorded;               /* GPUs do not record its launches */
};

/* Written array, after the partition of the grid. */
struct plan_array {
    uint64_t bytes;       /* of the array */
    uint64_t range_bytes; /* that a CTA writes, on average */
    struct plan_extent {
        uint64_t bytes; /* from the first to the last byte of a CTA, on average; 0: as
                           range_bytes, without gaps */
        double ranges;  /* of them, which the CTA writes */
        double share;   /* of the extent of all CTAs of a device */
    } extent;
    uint64_t run_bytes;   /* length of a sent range, on average; 0: nothing is sent */
    uint64_t store_bytes; /* consecutive bytes of one store of a warp; 0: unknown */
    unsigned store_width; /* bytes of one store of a thread; 0: unknown */
    double stores;        /* at most, of a thread; 0: unknown */
    unsigned copies;      /* to all peers, of the device with the most */
    unsigned regions;     /* by which stores find their peers; 0: their CTA has them */
    bool has_lists;       /* its CTAs read lists of the chunks in which they count */
    double chunk_share;   /* CTAs that count in its chunks, as a part of all */
    uint64_t sent[PLAN_DEVICES_MAX][PLAN_DEVICES_MAX]; /* bytes from device to device */
};

/* Partition axes of a launch: bytes per launch that the devices miss before it, and that
   its readers miss after it. */
struct plan_axes {
    unsigned present; /* dimension: 0 x, 1 y, 2 z */
    unsigned changes; /* of the axis so far */
    struct plan_axis {
        bool is_legal; /* a result of the footprint */
        uint64_t missing_bytes, sent_bytes;
        uint64_t missing_copies, sent_copies; /* number of copies that transfer them */
    } axis[3];
    double bytes_per_ns, copy_ns; /* of all devices; copy_ns: start of one copy */
    double launch_ns;             /* of the split launch; 0: unknown */
};

/* Partition of a device whose middle part neither sends nor waits. */
struct plan_interior {
    uint64_t ctas, inside; /* of the partition; of its middle part */
    bool is_serial;        /* the host queues the boundaries of one device after another, or
                              a replay has no copies that overlap */
};

/* Launch whose CTAs may gather their stores in shared memory. Some store of a warp is
   shorter than a packet. */
struct plan_staging {
    uint64_t bytes;       /* staging buffer of a CTA, which fills it */
    unsigned store_bytes; /* consecutive bytes of the shortest store of a warp */
    unsigned store_width; /* bytes of the shortest store of a thread */
};

/* Counting of a launch with chunks of one size. */
struct plan_counting {
    uint64_t ctas, chunks; /* of the grid; of the written arrays */
    uint64_t counts;       /* chunks in which a CTA counts, summed over all CTAs */
};

struct plan_problem {
    const struct topology *topology;
    unsigned device_count;
    uint64_t ctas, ctas_most; /* of the grid; of the device with the most */
    unsigned cta_threads;
    bool repeats_stores; /* the compiler repeats the kernel's stores (inline) */
    bool is_recorded;    /* the launch becomes a part of a graph */
    bool is_queued;      /* the host queues it while an earlier launch runs */
    double kernel_ns;    /* of the split kernel without transfers, on the slowest device */
    const struct plan_array *arrays;
    unsigned array_count;
    const struct plan_method *methods; /* that the launch may use */
    unsigned method_count;
    struct plan usual;   /* default plan: taken unless another is better */
    bool chunk_is_fixed; /* the user gave a chunk size */
    bool threads_are_fixed;
    unsigned threads_usual, threads_most; /* of an agent */
    const struct plan_axes *axes;         /* NULL: the axis is fixed */
    const struct plan_interior *interior; /* NULL: the partition has no interior */
    const struct plan_staging *staging;   /* NULL: staging is not legal */
    const struct plan_counting *counting; /* NULL: unknown */
};

/* Row with that name; NULL: none. */
const struct plan_method *plan_method_find(const struct plan_problem *p, const char *name);
