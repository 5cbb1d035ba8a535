/* SPDX-License-Identifier: Apache-2.0 */
#include "sssp/sssp.h"

#include <math.h>
#include <stdlib.h>

#include "graph/array_make.h"
#include "graph/complain.h"
#include "graph/repeat.h"
#include "sssp/sssp_answer.h"
#include "sssp/sssp_lengths.h"

extern const char kernel_sssp[];

enum {
    CTA_EDGES = 4096, /* sufficient for a CTA */
    CTAS_MIN = 16,    /* one per device of the largest machine */
};

struct sssp_session {
    struct proact *session;
    const struct graph *graph;
    struct sssp_options options;
    struct sssp_shape shape;
    struct proact_kernel *step;
    struct proact_array *first, *source, *weight;
    struct proact_array *distance[2], *changed[2]; /* round i reads [i % 2] */
    uint32_t *distance_start, *changed_start;      /* input of round 0 */
    const struct sssp_prepared *prepared;
    unsigned cycle_round; /* the search for a negative cycle is due after this round */
};

/* The largest difference of the two vertices of an edge. */
static uint32_t sssp_window(const struct graph *g)
{
    uint32_t window = 0;

    for (uint32_t v = 0; v < g->vertex_count; v++)
        for (uint32_t e = g->in_first[v]; e < g->in_first[v + 1]; e++) {
            uint32_t u = g->source[e], apart = u > v ? u - v : v - u;

            window = apart > window ? apart : window;
        }
    return window;
}

/* Shape of the launches; it depends only on the graph and the kernel. */
static struct sssp_shape sssp_shape_of(const struct graph *g, enum sssp_kernel kernel,
                                       uint32_t window)
{
    uint32_t n = g->vertex_count, wanted = (n - 1) / SSSP_CTA_VERTICES + 1;
    uint32_t by_edges = g->edge_count / CTA_EDGES;

    wanted = wanted > by_edges ? wanted : by_edges;
    if (kernel == SSSP_PAPER)
        wanted = (n - 1) / SSSP_WORD_VERTICES + 1;
    wanted = wanted > REPEAT_CTAS_MAX ? REPEAT_CTAS_MAX
             : wanted < CTAS_MIN      ? CTAS_MIN
                                      : wanted;
    uint32_t words = (n - 1) / SSSP_WORD_VERTICES + 1;
    uint32_t size = ((words - 1) / wanted + 1) * SSSP_WORD_VERTICES;

    return (struct sssp_shape){.vertex_count = n,
                               .cta_size = size,
                               .cta_count = (n - 1) / size + 1,
                               .window = window};
}

static uint32_t word_count(const struct sssp_session *run)
{
    return (run->shape.vertex_count - 1) / SSSP_WORD_VERTICES + 1;
}

static union sssp_distances int32_of_keys(union sssp_distances d, uint32_t count)
{
    const uint32_t *key = d.any;

    for (uint32_t v = 0; v < count; v++) /* the conversion is in place */
        d.int32[v] = key[v] == SSSP_FAR_KEY
                         ? SSSP_UNREACHABLE
                         : (int32_t)((int64_t)key[v] - (int64_t)SSSP_ZERO_KEY);
    return d;
}

/* Distances of infinity except at the source, as the kernels store them. */
static void fill_distances(struct sssp_session *run)
{
    uint32_t n = run->shape.vertex_count, source = run->options.source;
    union sssp_distances d;

    run->distance_start = app_calloc(n, sizeof *run->distance_start);
    run->changed_start = app_calloc(word_count(run), sizeof *run->changed_start);
    run->changed_start[source / SSSP_WORD_VERTICES] = 1u << source % SSSP_WORD_VERTICES;
    d.any = run->distance_start;
    for (uint32_t v = 0; v < n; v++) {
        if (run->options.type == SSSP_F32)
            d.f32[v] = v == source ? 0 : INFINITY;
        else
            run->distance_start[v] = v == source ? SSSP_ZERO_KEY : SSSP_FAR_KEY;
    }
}

/* Weights as the kernels read them; the caller frees them. */
static void *kernel_weights(const struct graph *g, enum sssp_type type)
{
    int32_t *integer = app_calloc(g->edge_count, sizeof *integer);
    float *real = (float *)(void *)integer;

    for (uint32_t e = 0; e < g->edge_count; e++) {
        if (type == SSSP_F32)
            real[e] = (float)g->weight[e];
        else
            integer[e] = (int32_t)g->weight[e];
    }
    return integer;
}

static void sssp_prepare(const struct graph *g, enum sssp_type type,
                         struct sssp_prepared *out)
{
    *out = (struct sssp_prepared){.weights = kernel_weights(g, type),
                                  .window = sssp_window(g),
                                  .has_negative = sssp_has_negative_weight(g)};
}

void sssp_prepared_clear(struct sssp_prepared *prepared)
{
    free(prepared->weights);
    *prepared = (struct sssp_prepared){0};
}

static enum proact_status make_sssp_arrays(struct sssp_session *run,
                                           struct proact_error *err)
{
    const struct graph *g = run->graph;
    size_t n = g->vertex_count, words = word_count(run);
    const struct array_plan arrays[] = {
        {{"edges by vertex", n + 1, sizeof(uint32_t)}, g->in_first, &run->first},
        {{"edges", g->edge_count, sizeof(uint32_t)}, g->source, &run->source},
        {{"weights", g->edge_count, sizeof(uint32_t)},
         run->prepared->weights,
         &run->weight},
        {{"distances, even", n, sizeof(uint32_t)}, NULL, &run->distance[0]},
        {{"distances, odd", n, sizeof(uint32_t)}, NULL, &run->distance[1]},
        {{"changed, even", words, sizeof(uint32_t)}, NULL, &run->changed[0]},
        {{"changed, odd", words, sizeof(uint32_t)}, NULL, &run->changed[1]},
    };
    size_t count = sizeof arrays / sizeof *arrays;

    if (run->options.kernel != SSSP_FRONTIER)
        count -= 2;
    return arrays_make(run->session, arrays, count, err);
}

/* With a frontier a round stores only changed distances, so both arrays start equal. A
   repeated run may receive no distances, and they must be comparable. */
static enum proact_status reset_distances(void *context, struct proact_error *err)
{
    struct sssp_session *run = context;
    uint32_t n = run->shape.vertex_count;
    enum proact_status status =
        proact_array_write(run->distance[0], 0, run->distance_start, n, err);

    if (!status && (run->options.kernel == SSSP_FRONTIER || run->options.schedule))
        status = proact_array_write(run->distance[1], 0, run->distance_start, n, err);
    if (status || run->options.kernel != SSSP_FRONTIER)
        return status;
    if (run->options.schedule)
        status = proact_array_write(run->changed[1], 0, run->changed_start, word_count(run),
                                    err);
    if (!status)
        status = proact_array_write(run->changed[0], 0, run->changed_start, word_count(run),
                                    err);
    return status;
}

static enum proact_status launch_round(void *context, const struct repeat_step *step,
                                       struct proact_error *err)
{
    struct sssp_session *run = context;
    unsigned from = step->parity, to = !step->parity;
    struct sssp_shape shape = run->shape;
    struct proact_grid grid = {.ctas = {run->shape.cta_count}, .threads = {SUM_THREADS}};
    struct proact_arg args[] = {
        PROACT_ARRAY(run->first),         PROACT_ARRAY(run->source),
        PROACT_ARRAY(run->weight),        PROACT_ARRAY(run->distance[from]),
        PROACT_ARRAY(step->before),       PROACT_ARRAY(run->distance[to]),
        PROACT_ARRAY(step->after),        PROACT_VALUE(shape),
        PROACT_ARRAY(run->changed[from]), PROACT_ARRAY(run->changed[to]),
    };
    size_t count = sizeof args / sizeof *args;

    shape.sum_count = step->sum_count;
    shape.tolerance = step->tolerance;
    if (run->options.kernel != SSSP_FRONTIER)
        count -= 2;
    return proact_launch(run->step, &grid, args, count, err);
}

/* The distances after some rounds; the caller frees them. */
static enum proact_status sssp_read_distances(struct sssp_session *run, unsigned rounds,
                                              union sssp_distances *out,
                                              struct proact_error *err)
{
    uint32_t n = run->shape.vertex_count;
    union sssp_distances d = {.any = app_calloc(n, sizeof(uint32_t))};
    enum proact_status status =
        proact_array_read(run->distance[rounds % 2], 0, d.any, n, err);

    if (status) {
        free(d.any);
        return status;
    }
    *out = run->options.type == SSSP_F32 ? d : int32_of_keys(d, n);
    return PROACT_OK;
}

/* Searches for a negative cycle at the first query and then whenever the rounds have
   doubled, so that the search costs less than the rounds. */
static enum proact_status inspect_rounds(void *context, unsigned first, unsigned count,
                                         const double *changes, struct proact_error *err)
{
    struct sssp_session *run = context;
    union sssp_distances distance;
    enum proact_status status;

    (void)changes;
    if (!run->prepared->has_negative || first + count < run->cycle_round)
        return PROACT_OK;
    run->cycle_round = 2 * (first + count);
    if ((status = sssp_read_distances(run, first + count, &distance, err)))
        return status;
    status = sssp_refuse_cycle(run->graph, run->options.type, distance, err);
    free(distance.any);
    return status;
}

static enum proact_status load_step(struct sssp_session *run, struct proact_error *err)
{
    static const char *const names[][3] = {
        [SSSP_INT32] = {"sssp_rounds_int32", "sssp_frontier_int32", "sssp_paper_int32"},
        [SSSP_F32] = {"sssp_rounds_f32", "sssp_frontier_f32", "sssp_paper_f32"},
    };
    struct proact_image image = {.name = "sssp.cu", .text = kernel_sssp};
    enum proact_status status;

    if ((status = make_sssp_arrays(run, err)))
        return status;
    fill_distances(run);
    return proact_kernel_load(run->session, &image,
                              names[run->options.type][run->options.kernel], &run->step,
                              err);
}

static enum proact_status run_rounds(struct sssp_session *run, struct sssp_result *out,
                                     struct proact_error *err)
{
    const size_t n = run->shape.vertex_count, bytes = sizeof(uint32_t);
    const bool is_frontier = run->options.kernel == SSSP_FRONTIER;
    struct repeat repeat = {.session = run->session,
                            .cta_count = run->shape.cta_count,
                            .tolerance = 0.5, /* no vertex has changed */
                            .iterations_max = run->options.rounds_max,
                            .schedule = run->options.schedule,
                            .launch = launch_round,
                            .reset = reset_distances,
                            .inspect = inspect_rounds,
                            .context = run,
                            .progress = run->options.progress,
                            .progress_context = run->options.context,
                            .every_iteration = run->options.every_iteration,
                            .checkpoint = run->options.checkpoint,
                            .state = {{"distances", run->distance[0], n, n * bytes}}};

    if (is_frontier) { /* a round stores only what changes */
        repeat.state[1] =
            (struct repeat_array){"distances_before", run->distance[1], n, n * bytes};
        repeat.state[2] = (struct repeat_array){"changed", run->changed[0], word_count(run),
                                                word_count(run) * bytes};
    }
    struct repeat_result loop = {0};
    enum proact_status status = repeat_run(&repeat, &loop, err);
    union sssp_distances distance;

    if (!status)
        status = sssp_read_distances(run, loop.iterations, &distance, err);
    if (status) {
        free(loop.schedule.launches);
        return status;
    }
    struct sssp_result r = {.distance = distance,
                            .type = run->options.type,
                            .rounds = loop.iterations,
                            .changed = loop.change,
                            .converged = loop.converged,
                            .schedule = loop.schedule,
                            .time_ns = loop.time_ns,
                            .statistics = loop.statistics};

    if (!run->options.schedule)
        status = sssp_refuse_unfinished(run->graph, &r, err);
    if (status)
        sssp_clear(&r);
    else
        *out = r;
    return status;
}

static void session_clear(struct sssp_session *run)
{
    proact_kernel_destroy(run->step);
    proact_array_destroy(run->first);
    proact_array_destroy(run->source);
    proact_array_destroy(run->weight);
    for (unsigned i = 0; i < 2; i++) {
        proact_array_destroy(run->distance[i]);
        proact_array_destroy(run->changed[i]);
    }
    free(run->distance_start);
    free(run->changed_start);
}

enum proact_status sssp_run(struct proact *p, const struct graph *g,
                            const struct sssp_options *given, struct sssp_result *out,
                            struct proact_error *err)
{
    struct sssp_session run = {.session = p, .graph = g, .cycle_round = 1};
    enum proact_status status = sssp_defaults(g, given, &run.options, err);

    if (status)
        return status;
    struct sssp_prepared own = {0};
    struct sssp_prepared *prepared = run.options.prepared ? run.options.prepared : &own;

    if (!prepared->weights)
        sssp_prepare(g, run.options.type, prepared);
    run.prepared = prepared;
    run.shape = sssp_shape_of(g, run.options.kernel, prepared->window);
    if (!(status = load_step(&run, err)))
        status = run_rounds(&run, out, err);
    session_clear(&run);
    sssp_prepared_clear(&own);
    return status;
}
