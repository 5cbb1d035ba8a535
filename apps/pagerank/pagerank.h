/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* PageRank by pulling: rank(v) = (1 - d) / n + d * (mass / n + sum of rank(u) /
   out-degree(u) over the u that point at v), where mass is the rank of the vertices that
   point nowhere. */

#include <proact/proact.h>

#include "graph/graph.h"

/* Zero means "choose for me". */
struct pagerank_options {
    double damping;          /* 0.85 */
    double tolerance;        /* L1 change below which to stop; 1e-12. Negative: never */
    unsigned iterations_max; /* 1000 */
    void (*progress)(void *context, unsigned iteration, double residual); /* may be NULL */
    void *context;
};

struct pagerank_result {
    double *ranks; /* by vertex; they sum to 1 */
    unsigned iterations;
    double residual;  /* the change in the last iteration */
    bool converged;   /* it is below the tolerance */
    uint64_t time_ns; /* of the iterations, by the devices' clock; virtual where emulated */
    struct proact_statistics statistics; /* of the same */
};

/* Runs on all devices of the session. The result is the same bit for bit on any number of
   devices under any method. */
enum proact_status pagerank_run(struct proact *p, const struct graph *g,
                                const struct pagerank_options *options,
                                struct pagerank_result *out, struct proact_error *err);

/* The same on the host, by the book: sums in the order of the edges. */
void pagerank_reference(const struct graph *g, const struct pagerank_options *options,
                        struct pagerank_result *out);
void pagerank_clear(struct pagerank_result *r);
