/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Trace aggregation: forwards spans to an observer, and sums kernel time, link time, their
   overlap on a device, and link time without a kernel on any device. Each wait folds the
   spans, when all queued work has ended. */

#include <proact/proact.h>

#include "device/device.h"

struct span_interval {
    uint64_t start_ns, end_ns;
};

struct span_list {
    struct span_interval *span;
    size_t count, capacity;
};

struct span_book {
    proact_trace_callback *observer;
    void *context;
    const char *skip; /* kernels with this name prefix, the library's own, do not count */
    unsigned device_count;
    struct span_list kernel[PROACT_DEVICES_MAX], link[PROACT_DEVICES_MAX];
    struct launch_ids { /* launch ids of a device's kernels since the last fold, in order */
        uint64_t *id;
        size_t count, capacity;
    } launched[PROACT_DEVICES_MAX];
    struct span_sums {
        double kernel_ns, link_ns, overlap_ns, exposed_ns;
    } device[PROACT_DEVICES_MAX], all;
    struct launch_time { /* of the latest folded launches, in ascending order */
        uint64_t id;
        double ns; /* of its longest kernel */
    } * times;
    size_t time_count, time_capacity;
};

/* A device_observer whose context is the book. */
void span_book_take(void *book, const struct device_span *span);
void span_book_launched(struct span_book *b, unsigned device, uint64_t id);
/* Time of the longest kernel of one of the latest folded launches; 0: not known. */
double span_book_launch_ns(const struct span_book *b, uint64_t id);
void span_book_fold(struct span_book *b);
void span_book_reset(struct span_book *b); /* resets the sums */
void span_book_clear(struct span_book *b);
