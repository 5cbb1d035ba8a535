/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* PageRank by pulling: rank(v) = (1 - d) / n + d * (mass / n + sum of rank(u) /
   out-degree(u) over all edges from u to v). mass is the total rank of the vertices without
   outgoing edges. */

#include <proact/proact.h>

#include "graph/app_state.h"
#include "graph/graph.h"
#include "graph/repeat.h"

/* What the devices store and send for each vertex. Sums of many edges are f64. */
enum pagerank_type { PAGERANK_F64, PAGERANK_F32 };

enum pagerank_kernel {
    PAGERANK_DEFAULT,   /* the in-degree of a vertex decides how many threads sum for it */
    PAGERANK_PAPER,     /* one warp for each vertex in file order; one lane stores */
    PAGERANK_ANNOTATED, /* the default one with annotated stores, for tests */
};

#define PAGERANK_F32_TOLERANCE_MIN                                                         \
    1e-7 /* f32 does not reach smaller changes in general                                  \
          */

/* A zero field selects the default. */
struct pagerank_options {
    enum pagerank_type type;
    enum pagerank_kernel kernel;
    double damping;          /* default 0.85 */
    double tolerance;        /* L1 change below which to stop; default 1e-12, f32 1e-7.
                                Negative: never */
    unsigned iterations_max; /* default 1000 */
    uint32_t cta_vertices;   /* default: by the numbers of edges and vertices */
    /* NULL, or the launches of an earlier run that this one repeats, whatever the data: for
       a session without transfers, whose result is wrong. */
    const struct repeat_schedule *schedule;
    /* On devices also called with iteration 0, before the clock starts. May be NULL. */
    void (*progress)(void *context, unsigned iteration, double residual);
    void *context;
    bool every_iteration; /* progress is called for each iteration, which takes longer */
    struct app_checkpoint checkpoint;
    /* Zeroed, or filled by an earlier run of the graph with the same kernel and
       cta_vertices: pagerank_plan_clear() by the owner. NULL: each run makes its own. */
    struct pagerank_plan *plan;
};

struct pagerank_result {
    double *ranks; /* by vertex; their sum is 1, up to the rounding of the type */
    unsigned iterations;
    double residual;                 /* the change in the last iteration */
    bool converged;                  /* the residual is below the tolerance */
    struct repeat_schedule schedule; /* empty if one was given */
    uint64_t time_ns; /* of the iterations, by the devices' clock; virtual if emulated */
    struct proact_statistics statistics; /* of the iterations */
};

/* Runs on all devices of the session. The result is identical for any number of devices and
   any method. PROACT_EINVAL: the tolerance is below PAGERANK_F32_TOLERANCE_MIN in f32. */
enum proact_status pagerank_run(struct proact *p, const struct graph *g,
                                const struct pagerank_options *options,
                                struct pagerank_result *out, struct proact_error *err);

/* The same on the host, in f64 for any type: sums in the order of the edges. */
void pagerank_reference(const struct graph *g, const struct pagerank_options *options,
                        struct pagerank_result *out);
void pagerank_clear(struct pagerank_result *r);
