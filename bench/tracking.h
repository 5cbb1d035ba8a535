/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* One device that counts as if it had a peer: the microbenchmark's kernel, unmarked, marked
   by its author and rewritten by the compiler, launched with the tables by which a device
   of two counts. Nothing is sent. */

#include <proact/device.h>

#include "device/device.h"
#include "kit.h"
#include "topology/topology.h"
#include "transfer/table/transfer_table.h"

/* COMPILED: the unmarked text, of which a map is known. */
enum tracked { PLAIN, ANNOTATED, COMPILED, TRACKED };

struct tracking {
    struct topology topology;
    const struct device_backend *backend;
    struct device_set *set;
    struct device_stream *stream;
    device_addr array, block; /* block: the tables */
    struct transfer_table table;
    struct proact_slot slot;
    struct device_function *function; /* what is measured; its module: */
    struct device_module *module;
    enum tracked which;
    uint32_t partition_bytes; /* behind its own parameters: of a clone */
    uint32_t mode;            /* PROACT_SHARE_..., of the share that it is given */
    uint64_t bytes;           /* of the array */
    uint32_t work, threads;   /* multiply-adds of a thread; threads of a CTA */
    double kernel_ns;         /* of the launches since somebody set it to 0 */
};

/* Each ends the program where it fails. */
void tracking_open(struct tracking *t, const struct bench_request *q);
void tracking_close(struct tracking *t);
/* What the next launches count by, for CTAs of so many threads; what is in the tables is
   written by CTAs one after the other, in chunks of so many bytes. */
void tracking_tables(struct tracking *t, uint32_t chunk_bytes);
/* The kernel that they launch, as it is under a method. */
void tracking_load(struct tracking *t, enum tracked which, const char *method);
void tracking_launch(struct tracking *t, uint32_t work);
void tracking_wait(struct tracking *t);
/* Ends the program where a CTA of these launches has not counted, or twice. */
void tracking_check(struct tracking *t);
