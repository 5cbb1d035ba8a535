/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Single-source shortest paths by Bellman-Ford's algorithm, by pulling. In a round each
   vertex v takes the smallest of its distance and of distance(u) + weight(u, v) over its
   incoming edges. The algorithm stops after the first round that changes nothing. Negative
   weights are allowed. */

#include <proact/proact.h>

#include "graph/app_state.h"
#include "graph/graph.h"
#include "graph/repeat.h"

enum sssp_type {
    SSSP_INT32, /* integers; sums beyond 2^31 - 1 stay there, whatever is added */
    SSSP_F32,   /* rounded to nearest; sums beyond the range of f32 stay at its end */
};

enum sssp_kernel {
    SSSP_ROUNDS,   /* every vertex reads all its incoming edges */
    SSSP_FRONTIER, /* only the weights and distances of edges from changed vertices */
    SSSP_PAPER,    /* rounds; one warp for each vertex, and one lane stores (PROACT IV) */
};

/* The distance of unreachable vertices: a value of its own in int32, infinite in f32. */
enum { SSSP_UNREACHABLE = INT32_MIN };

/* Distances by vertex. */
union sssp_distances {
    int32_t *int32;
    float *f32;
    void *any;
};

/* Host data that depends only on the graph and the type. */
struct sssp_prepared {
    void *weights;   /* as the kernels read them; NULL: nothing is prepared */
    uint32_t window; /* the largest difference of the two vertices of an edge */
    bool has_negative;
};

/* A zero field selects the default. */
struct sssp_options {
    enum sssp_type type;
    enum sssp_kernel kernel;
    uint32_t source;     /* from 0 */
    unsigned rounds_max; /* default: the number of vertices */
    /* NULL, or the launches of an earlier run that this one repeats, whatever the data: for
       a session without transfers, whose result is wrong. */
    const struct repeat_schedule *schedule;
    /* On devices also called with round 0, before the clock starts. May be NULL. */
    void (*progress)(void *context, unsigned round, double changed);
    bool every_iteration; /* progress is called for each round, in order */
    void *context;
    struct app_checkpoint checkpoint;
    /* Zeroed, or filled by an earlier run of the graph in the same type:
       sssp_prepared_clear() by the owner. NULL: each run makes its own. */
    struct sssp_prepared *prepared;
};

void sssp_prepared_clear(struct sssp_prepared *prepared);

struct sssp_result {
    union sssp_distances distance;
    enum sssp_type type;
    unsigned rounds; /* including the last one, which changes nothing */
    double changed;  /* vertices that the last round changed */
    bool converged;
    struct repeat_schedule schedule; /* empty if one was given */
    uint64_t time_ns; /* of the rounds, by the devices' clock; virtual if emulated */
    struct proact_statistics statistics; /* of the rounds */
};

/* Runs on all devices of the session. The distances are identical for any number of devices
   and any method or kernel. The graph has weights that suit the type. PROACT_EINVAL: the
   source is no vertex, or a negative cycle is reachable; the message names the source from
   1, or one vertex of the cycle. */
enum proact_status sssp_run(struct proact *p, const struct graph *g,
                            const struct sssp_options *options, struct sssp_result *out,
                            struct proact_error *err);

/* The same on the host, by rounds. The distances and rounds are identical. */
enum proact_status sssp_reference(const struct graph *g, const struct sssp_options *options,
                                  struct sssp_result *out, struct proact_error *err);
void sssp_clear(struct sssp_result *r);

/* ---- Weights ---- */

enum sssp_weights { SSSP_FILE_WEIGHTS, SSSP_HASH_WEIGHTS, SSSP_UNIT_WEIGHTS };

/* Sets the weights of all edges: 1, or an integer from 1 to 255 by a hash of the edge.
   SSSP_FILE_WEIGHTS keeps those of the graph, which then has some. */
void sssp_set_weights(struct graph *g, enum sssp_weights weights);

/* ---- Answers ---- */

#define SSSP_NO_PARENT UINT32_MAX

/* A tree of shortest paths: the vertex before each one, or SSSP_NO_PARENT for the source
   and for unreachable vertices. The tree depends only on the graph and the distances. The
   caller frees the result. */
uint32_t *sssp_parents(const struct graph *g, uint32_t source, const struct sssp_result *r);

struct sssp_summary {
    uint32_t reached, farthest; /* vertices reached; the first one of greatest distance */
    double greatest, sum;       /* of the distances of reached vertices */
};

struct sssp_summary sssp_summarize(uint32_t vertex_count, const struct sssp_result *r);

/* The distance of a vertex; infinite if it is unreachable. */
double sssp_distance(const struct sssp_result *r, uint32_t vertex);
