/* SPDX-License-Identifier: Apache-2.0 */
#include "pagerank/pagerank.h"

#include <stdlib.h>

#include "graph/array_make.h"
#include "graph/complain.h"
#include "graph/repeat.h"
#include "pagerank/pagerank_plan.h"

extern const char kernel_pagerank[];

enum { STEP_GIFT_ARG = 6, STEP_SUMS_ARG = 7 }; /* arguments that pagerank_step() writes */

struct pagerank_run {
    struct proact *session;
    struct pagerank_options options;
    struct pagerank_plan plan;
    uint32_t vertex_count, edge_count;
    struct proact_kernel *step;
    struct proact_array *ctas, *first, *source, *out_degree;
    struct proact_array *gift[2]; /* iteration i reads [i % 2] and writes the other */
    double *start;                /* input of iteration 0 */
    double dangling;              /* its mass of vertices without outgoing edges */
};

static enum proact_status make_arrays(struct pagerank_run *run, struct proact_error *err)
{
    const struct pagerank_plan *plan = &run->plan;
    size_t n = run->vertex_count;
    const struct array_plan arrays[] = {
        {{"CTAs", plan->cta_count, sizeof *plan->cta}, plan->cta, &run->ctas},
        {{"edges by vertex", n + 1, sizeof *plan->first}, plan->first, &run->first},
        {{"edges", run->edge_count, sizeof *plan->source}, plan->source, &run->source},
        {{"out-degrees", n, sizeof *plan->out_degree}, plan->out_degree, &run->out_degree},
        {{"contributions, even", n, sizeof(double)}, NULL, &run->gift[0]},
        {{"contributions, odd", n, sizeof(double)}, NULL, &run->gift[1]},
    };

    return arrays_make(run->session, arrays, sizeof arrays / sizeof *arrays, err);
}

/* The map: CTA c writes the gifts of its vertices and one pair of sums. */
static enum proact_status map_step(struct pagerank_run *run, struct proact_error *err)
{
    uint32_t ctas = run->plan.cta_count;
    uint32_t *first = app_calloc((size_t)ctas + 1, sizeof *first);
    struct proact_range *ranges = app_calloc(ctas, sizeof *ranges);

    for (uint32_t c = 0; c < ctas; c++) {
        const struct pagerank_cta *cta = &run->plan.cta[c];

        first[c + 1] = c + 1;
        ranges[c].first_byte = (uint64_t)cta->hubs * sizeof(double);
        ranges[c].bytes = (uint64_t)(cta->end - cta->hubs) * sizeof(double);
    }
    struct proact_map gifts = {.kind = PROACT_MAP_TABLE,
                               .range_offsets = first,
                               .ranges = ranges,
                               .cta_count = ctas};
    struct proact_map sums = {.kind = PROACT_MAP_CONTIGUOUS,
                              .range_bytes = sizeof(struct sum_pair)};
    enum proact_status status = proact_kernel_map(run->step, STEP_GIFT_ARG, &gifts, err);

    if (!status)
        status = proact_kernel_map(run->step, STEP_SUMS_ARG, &sums, err);
    free(first);
    free(ranges);
    return status;
}

/* All vertices start with equal ranks. */
static void fill_start(struct pagerank_run *run)
{
    double rank = 1.0 / run->vertex_count;

    run->start = app_calloc(run->vertex_count, sizeof *run->start);
    for (uint32_t v = 0; v < run->vertex_count; v++) {
        uint32_t degree = run->plan.out_degree[v];

        run->start[v] = degree ? rank / degree : rank;
        run->dangling += degree ? 0 : rank;
    }
}

static enum proact_status reset(void *context, struct proact_error *err)
{
    struct pagerank_run *run = context;

    return proact_array_write(run->gift[0], 0, run->start, run->vertex_count, err);
}

static enum proact_status launch_step(void *context, const struct repeat_step *step,
                                      struct proact_error *err)
{
    struct pagerank_run *run = context;
    struct proact_grid grid = {.ctas = {run->plan.cta_count}, .threads = {SUM_THREADS}};
    struct proact_arg args[] = {
        PROACT_ARRAY(run->ctas),
        PROACT_ARRAY(run->first),
        PROACT_ARRAY(run->source),
        PROACT_ARRAY(run->out_degree),
        PROACT_ARRAY(run->gift[step->parity]),
        PROACT_ARRAY(step->before),
        PROACT_ARRAY(run->gift[!step->parity]),
        PROACT_ARRAY(step->after),
        PROACT_VALUE(run->vertex_count),
        PROACT_VALUE(run->plan.cta_count),
        PROACT_VALUE(run->options.damping),
        PROACT_VALUE(step->tolerance),
    };

    return proact_launch(run->step, &grid, args, sizeof args / sizeof *args, err);
}

static enum proact_status prepare(struct pagerank_run *run, struct proact_error *err)
{
    struct proact_image image = {.name = "pagerank.cu", .text = kernel_pagerank};
    enum proact_status status;

    if ((status = make_arrays(run, err)) ||
        (status =
             proact_kernel_load(run->session, &image, "pagerank_step", &run->step, err)))
        return status;
    fill_start(run);
    /* A repeated run may receive no contributions, and they must be comparable. */
    if (run->options.schedule)
        status = proact_array_write(run->gift[1], 0, run->start, run->vertex_count, err);
    return status ? status : map_step(run, err);
}

/* Converts the gifts of the last iteration to ranks of the graph's vertices. */
static enum proact_status read_ranks(struct pagerank_run *run, unsigned iterations,
                                     double *ranks, struct proact_error *err)
{
    enum proact_status status =
        proact_array_read(run->gift[iterations % 2], 0, run->start, run->vertex_count, err);

    for (uint32_t i = 0; !status && i < run->vertex_count; i++) {
        uint32_t degree = run->plan.out_degree[i];

        ranks[run->plan.vertex[i]] = run->start[i] * (degree ? degree : 1);
    }
    return status;
}

static void run_clear(struct pagerank_run *run)
{
    proact_kernel_destroy(run->step);
    proact_array_destroy(run->ctas);
    proact_array_destroy(run->first);
    proact_array_destroy(run->source);
    proact_array_destroy(run->out_degree);
    proact_array_destroy(run->gift[0]);
    proact_array_destroy(run->gift[1]);
    pagerank_plan_clear(&run->plan);
    free(run->start);
}

enum proact_status pagerank_run(struct proact *p, const struct graph *g,
                                const struct pagerank_options *options,
                                struct pagerank_result *out, struct proact_error *err)
{
    struct pagerank_run run = {.session = p,
                               .options = pagerank_defaults(options),
                               .vertex_count = g->vertex_count,
                               .edge_count = g->edge_count};
    struct repeat_result loop = {0};
    double *ranks = app_calloc(g->vertex_count, sizeof *ranks);
    enum proact_status status;

    pagerank_plan_init(&run.plan, g);
    if (!(status = prepare(&run, err))) {
        struct repeat repeat = {.session = p,
                                .cta_count = run.plan.cta_count,
                                .tolerance = run.options.tolerance,
                                .iterations_max = run.options.iterations_max,
                                .schedule = run.options.schedule,
                                .launch = launch_step,
                                .reset = reset,
                                .context = &run,
                                .every_iteration = run.options.every_iteration,
                                .checkpoint = run.options.checkpoint,
                                .state = run.gift[0],
                                .state_count = run.vertex_count,
                                .state_bytes = run.vertex_count * sizeof(double),
                                .start = run.dangling,
                                .progress = run.options.progress,
                                .progress_context = run.options.context};

        status = repeat_run(&repeat, &loop, err);
    }
    if (!status)
        status = read_ranks(&run, loop.iterations, ranks, err);
    run_clear(&run);
    if (status) {
        free(loop.schedule.launches);
        free(ranks);
        return status;
    }
    *out = (struct pagerank_result){.ranks = ranks,
                                    .iterations = loop.iterations,
                                    .residual = loop.change,
                                    .converged = loop.converged,
                                    .schedule = loop.schedule,
                                    .time_ns = loop.time_ns,
                                    .statistics = loop.statistics};
    return PROACT_OK;
}
