/* SPDX-License-Identifier: Apache-2.0 */
#include "jacobi/jacobi.h"

#include <math.h>
#include <stdlib.h>

#include "graph/repeat.h"
#include "jacobi/jacobi_start.h"

extern const char kernel_jacobi[];

enum { STEP_CELLS_ARG = 2, STEP_SUMS_ARG = 3 }; /* arguments that the kernels write */
enum { CELLS_A_CTA = 4096, ROWS_MIN = 4 };      /* rows that a thread processes together */
/* The last argument of the kernels, as in jacobi.cu. */
struct jacobi_grid {
    uint32_t size, rows, sum_count;
    double tolerance_squared;
};

struct jacobi_run {
    struct jacobi_options options;
    uint32_t rows, cta_count; /* rows per CTA; both depend only on the size */
    struct proact_kernel *step;
    struct proact_array *cells[2]; /* iteration i reads [i % 2] and writes the other */
    float *start;
};

static enum proact_status reset(void *context, struct proact_error *err)
{
    struct jacobi_run *run = context;
    size_t size = run->options.size;

    return proact_array_write(run->cells[0], 0, run->start, size * size, err);
}

static enum proact_status launch_step(void *context, const struct repeat_step *step,
                                      struct proact_error *err)
{
    struct jacobi_run *run = context;
    struct proact_grid grid = {.ctas = {run->cta_count}, .threads = {SUM_THREADS}};
    struct jacobi_grid sizes = {run->options.size, run->rows, step->sum_count,
                                step->tolerance};
    struct proact_arg args[] = {
        PROACT_ARRAY(run->cells[step->parity]),
        PROACT_ARRAY(step->before),
        PROACT_ARRAY(run->cells[!step->parity]),
        PROACT_ARRAY(step->after),
        PROACT_VALUE(sizes),
    };

    return proact_launch(run->step, &grid, args, sizeof args / sizeof *args, err);
}

static enum proact_status map_jacobi_step(struct jacobi_run *run, struct proact_error *err)
{
    size_t size = run->options.size;
    struct proact_map cells = {.kind = PROACT_MAP_CONTIGUOUS,
                               .range_bytes = run->rows * size * sizeof(float)};
    struct proact_map sums = {.kind = PROACT_MAP_CONTIGUOUS,
                              .range_bytes = sizeof(struct sum_pair)};
    enum proact_status status = proact_kernel_map(run->step, STEP_CELLS_ARG, &cells, err);

    return status ? status : proact_kernel_map(run->step, STEP_SUMS_ARG, &sums, err);
}

static enum proact_status prepare(struct jacobi_run *run, struct proact *p,
                                  struct proact_error *err)
{
    struct proact_image image = {.name = "jacobi.cu", .text = kernel_jacobi};
    size_t size = run->options.size;
    struct proact_shape even = {"cells, even", size * size, sizeof(float)};
    struct proact_shape odd = {"cells, odd", size * size, sizeof(float)};
    const char *kernel = run->options.annotated ? "jacobi_step_annotated"
                         : size % 4 == 0        ? "jacobi_step"
                                                : "jacobi_step_narrow";
    enum proact_status status;

    if ((status = proact_array_create(p, &even, &run->cells[0], err)) ||
        (status = proact_array_create(p, &odd, &run->cells[1], err)) ||
        /* A repeated run may receive no cells, and they must be comparable. */
        (run->options.schedule &&
         (status = proact_array_write(run->cells[1], 0, run->start, size * size, err))) ||
        (status = proact_kernel_load(p, &image, kernel, &run->step, err)))
        return status;
    return run->options.annotated ? map_jacobi_step(run, err) : PROACT_OK;
}

/* The loop uses squares; the progress callback receives the root. */
static void show_progress(void *context, unsigned iteration, double change)
{
    const struct jacobi_options *options = context;

    options->progress(options->context, iteration, sqrt(change));
}

static void run_clear(struct jacobi_run *run)
{
    proact_kernel_destroy(run->step);
    proact_array_destroy(run->cells[0]);
    proact_array_destroy(run->cells[1]);
    free(run->start);
}

enum proact_status jacobi_run(struct proact *p, const struct jacobi_options *given,
                              struct jacobi_result *out, struct proact_error *err)
{
    struct jacobi_run run = {0};
    struct repeat_result loop = {0};
    enum proact_status status = jacobi_start(given, &run.options, &run.start, err);

    if (status)
        return status;
    uint32_t size = run.options.size, wide = (CELLS_A_CTA + size - 1) / size;

    run.rows = wide > ROWS_MIN ? wide : ROWS_MIN;
    run.cta_count = (size + run.rows - 1) / run.rows;
    if (!(status = prepare(&run, p, err))) {
        const double tolerance = run.options.tolerance;
        struct repeat repeat = {.session = p,
                                .cta_count = run.cta_count,
                                .tolerance = tolerance * fabs(tolerance),
                                .iterations_max = run.options.iterations_max,
                                .schedule = run.options.schedule,
                                .launch = launch_step,
                                .reset = reset,
                                .context = &run,
                                .every_iteration = run.options.every_iteration,
                                .checkpoint = run.options.checkpoint,
                                .state = {{"array", run.cells[0], (size_t)size * size,
                                           (size_t)size * size * sizeof(float)}},
                                .progress = run.options.progress ? show_progress : NULL,
                                .progress_context = &run.options};

        status = repeat_run(&repeat, &loop, err);
    }
    if (!status)
        status = proact_array_read(run.cells[loop.iterations % 2], 0, run.start,
                                   (size_t)size * size, err);
    if (!status) {
        *out = (struct jacobi_result){.cells = run.start,
                                      .size = size,
                                      .iterations = loop.iterations,
                                      .residual = sqrt(loop.change),
                                      .converged = loop.converged,
                                      .schedule = loop.schedule,
                                      .time_ns = loop.time_ns,
                                      .statistics = loop.statistics};
        run.start = NULL;
    } else {
        free(loop.schedule.launches);
    }
    run_clear(&run);
    return status;
}
