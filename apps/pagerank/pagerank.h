/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* PageRank by pulling: rank(v) = (1 - d) / n + d * (mass / n + sum of rank(u) /
   out-degree(u) over all edges from u to v). mass is the total rank of the vertices without
   outgoing edges. */

#include <proact/proact.h>

#include "graph/app_state.h"
#include "graph/graph.h"
#include "graph/repeat.h"

/* A zero field selects the default. */
struct pagerank_options {
    double damping;          /* default 0.85 */
    double tolerance;        /* L1 change below which to stop; default 1e-12. Negative:
                                never */
    unsigned iterations_max; /* default 1000 */
    /* NULL, or the launches of an earlier run that this one repeats, whatever the data: for
       a session without transfers, whose result is wrong. */
    const struct repeat_schedule *schedule;
    void (*progress)(void *context, unsigned iteration, double residual); /* may be NULL */
    void *context;
    bool every_iteration; /* progress is called for each iteration, which takes longer */
    struct app_checkpoint checkpoint;
};

struct pagerank_result {
    double *ranks; /* by vertex; their sum is 1 */
    unsigned iterations;
    double residual;                 /* the change in the last iteration */
    bool converged;                  /* the residual is below the tolerance */
    struct repeat_schedule schedule; /* empty if one was given */
    uint64_t time_ns; /* of the iterations, by the devices' clock; virtual if emulated */
    struct proact_statistics statistics; /* of the iterations */
};

/* Runs on all devices of the session. The result is identical for any number of devices and
   any method. */
enum proact_status pagerank_run(struct proact *p, const struct graph *g,
                                const struct pagerank_options *options,
                                struct pagerank_result *out, struct proact_error *err);

/* The same on the host: sums in the order of the edges. */
void pagerank_reference(const struct graph *g, const struct pagerank_options *options,
                        struct pagerank_result *out);
void pagerank_clear(struct pagerank_result *r);
