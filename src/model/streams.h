/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Copies of chunks on streams that share a copy engine, copy by copy. Each stream sends a
   chunk to all receivers, one after another, and continues with the next chunk when the
   receivers have acknowledged it (transfer/methods/copies.h). All times are in ns. */

#include "topology/topology.h"

enum { MODEL_STREAMS_MAX = 4, MODEL_COPY_STREAMS = 2 }; /* TRANSFER_COPY_STREAMS */

/* A receiver of the copies. */
struct model_engine_to {
    double share;   /* of the bytes of a chunk */
    double link_ns; /* of a byte */
    double path_ns; /* of a byte on a bridge or a bus after the link; 0: none */
    unsigned path;  /* number of that path */
};

struct model_engine {
    unsigned streams;          /* 0: none, to MODEL_STREAMS_MAX */
    double first_ns, start_ns; /* of a copy to an idle engine, and to a busy one */
    double turn_ns;            /* least, to another receiver than the stream's last one */
    double latency_ns;
    double engine_ns, port_ns; /* of a byte: of the engine, and of a receiver's port */
    unsigned receivers;
    struct model_engine_to to[TOPOLOGY_DEVICES_MAX];
};

/* Returns the time at which the next chunk of a stream begins, not before free_ns, and its
   bytes; INFINITY: the stream has no further chunk. */
typedef double model_engine_next(void *context, unsigned stream, double free_ns,
                                 double *bytes);

/* Time at which the sender knows that all copies are visible. */
double model_engine_end_ns(const struct model_engine *e, model_engine_next *next,
                           void *context);
/* Time from one chunk to the next, if all have `bytes` bytes and are complete. */
double model_engine_period_ns(const struct model_engine *e, double bytes);
