/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The cost of tracking on one device. The microbenchmark's kernel is plain, annotated by
   its author, or rewritten by the compiler. It uses the counter tables of one of two
   devices, but sends nothing. */

#include <proact/device.h>

#include "device/device.h"
#include "kit.h"
#include "topology/topology.h"
#include "transfer/table/transfer_table.h"

/* COMPILED: the plain kernel, rewritten with a known map. */
enum tracked { PLAIN, ANNOTATED, COMPILED, TRACKED };

struct tracking {
    struct topology topology;
    const struct device_backend *backend;
    struct device_set *set;
    struct device_stream *stream;
    device_addr array, block; /* block: the tables */
    struct transfer_table table;
    struct proact_slot slot;
    struct device_function *function; /* the measured kernel, of this module: */
    struct device_module *module;
    enum tracked which;
    uint32_t partition_bytes; /* of a kernel version: the partition follows its own
                                 parameters */
    uint32_t mode;            /* PROACT_MODE_... of its partition parameter */
    uint64_t bytes;           /* of the array */
    uint32_t work, threads;   /* multiply-adds per thread; threads per CTA */
    double kernel_ns;         /* of the launches since the caller last zeroed it */
};

/* Each ends the program on failure. */
void tracking_open(struct tracking *t, const struct bench_request *q);
void tracking_close(struct tracking *t);
/* Tables for the next launches with the current CTA size. The CTAs write consecutive ranges
   of the array, in chunks of `chunk_bytes`. */
void tracking_tables(struct tracking *t, uint32_t chunk_bytes);
/* Loads the kernel of the next launches, as the method uses it. */
void tracking_load(struct tracking *t, enum tracked which, const char *method);
void tracking_launch(struct tracking *t, uint32_t work);
void tracking_wait(struct tracking *t);
/* Ends the program if a CTA did not count exactly once in each launch. */
void tracking_check(struct tracking *t);
