/* SPDX-License-Identifier: Apache-2.0 */
#include "pagerank/pagerank.h"

#include <stdlib.h>

#include "graph/array_make.h"
#include "graph/complain.h"
#include "graph/repeat.h"
#include "pagerank/pagerank_plan.h"

extern const char kernel_pagerank[];

enum { STEP_GIFT_ARG = 6, STEP_SUMS_ARG = 7 }; /* arguments that the kernels write */

struct pagerank_run {
    struct proact *session;
    struct pagerank_options options;
    struct pagerank_plan plan; /* borrowed */
    uint32_t vertex_count, edge_count;
    struct proact_kernel *step;
    struct proact_array *ctas, *first, *source, *out_degree;
    struct proact_array *gift[2]; /* iteration i reads [i % 2] and writes the other */
    union {
        double *f64;
        float *f32;
        void *any;
    } start;         /* input of iteration 0 */
    double dangling; /* its mass of vertices without outgoing edges */
};

static size_t gift_bytes(const struct pagerank_run *run)
{
    return run->options.type == PAGERANK_F32 ? sizeof(float) : sizeof(double);
}

static enum proact_status make_arrays(struct pagerank_run *run, struct proact_error *err)
{
    const struct pagerank_plan *plan = &run->plan;
    size_t n = run->vertex_count;
    const struct array_plan arrays[] = {
        {{"CTAs", plan->cta ? plan->cta_count : 1, sizeof *plan->cta},
         plan->cta,
         &run->ctas},
        {{"edges by vertex", n + 1, sizeof *plan->first}, plan->first, &run->first},
        {{"edges", run->edge_count, sizeof *plan->source}, plan->source, &run->source},
        {{"out-degrees", n, sizeof *plan->out_degree}, plan->out_degree, &run->out_degree},
        {{"contributions, even", n, gift_bytes(run)}, NULL, &run->gift[0]},
        {{"contributions, odd", n, gift_bytes(run)}, NULL, &run->gift[1]},
    };

    return arrays_make(run->session, arrays, sizeof arrays / sizeof *arrays, err);
}

/* The map: CTA c writes the gifts of its vertices and one pair of sums. */
static enum proact_status map_step(struct pagerank_run *run, struct proact_error *err)
{
    struct proact_map gifts = {.kind = PROACT_MAP_CONTIGUOUS,
                               .range_bytes = run->plan.cta_size * gift_bytes(run)};
    struct proact_map sums = {.kind = PROACT_MAP_CONTIGUOUS,
                              .range_bytes = sizeof(struct sum_pair)};
    enum proact_status status = proact_kernel_map(run->step, STEP_GIFT_ARG, &gifts, err);

    return status ? status : proact_kernel_map(run->step, STEP_SUMS_ARG, &sums, err);
}

/* All vertices start with equal ranks. */
static void fill_start(struct pagerank_run *run)
{
    double rank = 1.0 / run->vertex_count;

    run->start.any = app_calloc(run->vertex_count, gift_bytes(run));
    for (uint32_t v = 0; v < run->vertex_count; v++) {
        uint32_t degree = run->plan.out_degree[v];
        double gift = degree ? rank / degree : rank;

        if (run->options.type == PAGERANK_F32)
            run->start.f32[v] = (float)gift;
        else
            run->start.f64[v] = gift;
        run->dangling += degree ? 0 : rank;
    }
}

static enum proact_status reset(void *context, struct proact_error *err)
{
    struct pagerank_run *run = context;

    return proact_array_write(run->gift[0], 0, run->start.any, run->vertex_count, err);
}

static enum proact_status launch_step(void *context, const struct repeat_step *step,
                                      struct proact_error *err)
{
    struct pagerank_run *run = context;
    struct proact_grid grid = {.ctas = {run->plan.cta_count}, .threads = {SUM_THREADS}};
    const struct pagerank_size size = {.vertex_count = run->vertex_count,
                                       .cta_size = run->plan.cta_size,
                                       .sum_count = step->sum_count,
                                       .damping = run->options.damping,
                                       .tolerance = step->tolerance};
    struct proact_arg args[] = {
        PROACT_ARRAY(run->ctas),
        PROACT_ARRAY(run->first),
        PROACT_ARRAY(run->source),
        PROACT_ARRAY(run->out_degree),
        PROACT_ARRAY(run->gift[step->parity]),
        PROACT_ARRAY(step->before),
        PROACT_ARRAY(run->gift[!step->parity]),
        PROACT_ARRAY(step->after),
        PROACT_VALUE(size),
    };

    return proact_launch(run->step, &grid, args, sizeof args / sizeof *args, err);
}

static enum proact_status prepare(struct pagerank_run *run, struct proact_error *err)
{
    static const char *const names[][2] = {
        [PAGERANK_DEFAULT] = {"pagerank_default_f64", "pagerank_default_f32"},
        [PAGERANK_PAPER] = {"pagerank_paper_f64", "pagerank_paper_f32"},
        [PAGERANK_ANNOTATED] = {"pagerank_annotated_f64", "pagerank_annotated_f32"},
    };
    struct proact_image image = {.name = "pagerank.cu", .text = kernel_pagerank};
    const char *name = names[run->options.kernel][run->options.type];
    enum proact_status status;

    if ((status = make_arrays(run, err)) ||
        (status = proact_kernel_load(run->session, &image, name, &run->step, err)))
        return status;
    fill_start(run);
    /* A repeated run may receive no contributions, and they must be comparable. */
    if (run->options.schedule)
        status =
            proact_array_write(run->gift[1], 0, run->start.any, run->vertex_count, err);
    if (status || run->options.kernel != PAGERANK_ANNOTATED)
        return status;
    return map_step(run, err);
}

/* Converts the gifts of the last iteration to ranks of the graph's vertices. */
static enum proact_status read_ranks(struct pagerank_run *run, unsigned iterations,
                                     double *ranks, struct proact_error *err)
{
    enum proact_status status = proact_array_read(run->gift[iterations % 2], 0,
                                                  run->start.any, run->vertex_count, err);

    for (uint32_t i = 0; !status && i < run->vertex_count; i++) {
        uint32_t degree = run->plan.out_degree[i];

        double gift =
            run->options.type == PAGERANK_F32 ? run->start.f32[i] : run->start.f64[i];

        ranks[run->plan.vertex[i]] = gift * (degree ? degree : 1);
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
    free(run->start.any);
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
    enum proact_status status = pagerank_check(options, err);

    if (status)
        return status;
    double *ranks = app_calloc(g->vertex_count, sizeof *ranks);
    struct pagerank_plan own = {0};
    struct pagerank_plan *plan = run.options.plan ? run.options.plan : &own;

    if (!plan->vertex)
        pagerank_plan_init(plan, g, &run.options);
    run.plan = *plan;
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
                                .state = {{"array", run.gift[0], run.vertex_count,
                                           run.vertex_count * gift_bytes(&run)}},
                                .start = run.dangling,
                                .progress = run.options.progress,
                                .progress_context = run.options.context};

        status = repeat_run(&repeat, &loop, err);
    }
    if (!status)
        status = read_ranks(&run, loop.iterations, ranks, err);
    run_clear(&run);
    pagerank_plan_clear(&own);
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
