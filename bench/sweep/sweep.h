/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Times of messages from device 0 to device 1, by initiator, size and number of messages,
   for `proact model fit`. Data is compared before a time counts. */

#include "bench.h"
#include "model/initiator.h"

enum { SWEEP_DEPTH_MAX = 64, SWEEP_LEAST_BYTES = 8 };

/* One run: the time until `depth` messages, started together, are visible to device 1 and
   device 0 knows it. The time of the same launch without messages is subtracted; for
   chunks, with the whole array as its only chunk. Rows are medians on GPUs. */
struct sweep_row {
    enum model_sender who;
    unsigned depth;
    uint64_t bytes; /* of a message */
    double ns;
};

struct sweep_request {
    const char *machine;   /* as in proact_options */
    unsigned host_threads; /* of the emulator; 0: one per core */
    unsigned senders;      /* bit mask of enum model_sender */
    uint64_t bytes_max; /* of all messages of a run; 0: 1 GB on GPUs. On emulated machines
                           256 MB if a copy engine sends, and 32 MB if a kernel does */
    /* Called before each measurement with the finished part of all; false ends the sweep.
     */
    bool (*goes_on)(void *context, double part, const char *what);
    void *context;
};

struct sweep {
    struct topology topology; /* of two devices */
    bool is_virtual, is_complete;
    double round_trip_ns; /* of a flag between two kernels; 0: not measured */
    struct sweep_row *rows;
    size_t count, capacity;
};

/* Ends the program if the machine has fewer than two devices. */
void sweep_run(const struct sweep_request *q, struct sweep *out);
void sweep_clear(struct sweep *s);
