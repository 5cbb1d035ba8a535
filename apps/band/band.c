/* SPDX-License-Identifier: Apache-2.0 */
#include "band/band.h"

#include <math.h>
#include <stdlib.h>

#include "band/band_answer.h"
#include "graph/array_make.h"
#include "graph/complain.h"
#include "graph/repeat.h"

extern const char kernel_band[];

enum {
    BAND_CTAS_MIN = 16, /* one per device of the largest machine */
    CTA_ROWS_STEP = 32,
};

/* The last parameter of the kernels (band.cu). */
struct band_rows {
    uint32_t rows, half_width, cta_rows, cta_count, sum_count;
    double limit; /* of the square of the residual */
};

struct band_session {
    struct proact *session;
    const struct band_system *system;
    struct band_options options;
    struct band_rows size;
    struct band_growth growth;
    const struct band_prepared *prepared; /* NULL in f64 */
    struct proact_kernel *step;
    struct proact_array *matrix, *right, *diagonal, *first, *column;
    struct proact_array *x[2]; /* iteration i reads [i % 2] */
    void *start;
};

static size_t number_bytes(const struct band_session *run)
{
    return run->options.type == BAND_F32 ? sizeof(float) : sizeof(double);
}

static struct band_rows band_rows_of(const struct band_system *s,
                                     const struct band_options *options)
{
    uint32_t wanted = (s->rows - 1) / SUM_THREADS + 1;
    double bound = options->tolerance * band_scale(s);

    wanted = wanted > REPEAT_CTAS_MAX ? REPEAT_CTAS_MAX
             : wanted < BAND_CTAS_MIN ? BAND_CTAS_MIN
                                      : wanted;
    uint32_t steps = (s->rows - 1) / CTA_ROWS_STEP + 1;
    uint32_t cta_rows = ((steps - 1) / wanted + 1) * CTA_ROWS_STEP;

    return (struct band_rows){.rows = s->rows,
                              .half_width = s->half_width,
                              .cta_rows = cta_rows,
                              .cta_count = (s->rows - 1) / cta_rows + 1,
                              .limit = bound * fabs(bound)};
}

/* Numbers in f32; the caller frees them. */
static float *band_single(const double *from, size_t count)
{
    float *copy = app_calloc(count, sizeof *copy);

    for (size_t i = 0; i < count; i++)
        copy[i] = (float)from[i];
    return copy;
}

static size_t band_entries(const struct band_system *s)
{
    return s->diagonals ? (2 * (size_t)s->half_width + 1) * s->rows : s->first[s->rows];
}

static void band_prepare(const struct band_system *s, struct band_prepared *out)
{
    const double *matrix = s->diagonals ? s->diagonals : s->value;

    *out = (struct band_prepared){.matrix = band_single(matrix, band_entries(s)),
                                  .right = band_single(s->right, s->rows),
                                  .diagonal = band_single(s->diagonal, s->rows)};
}

void band_prepared_clear(struct band_prepared *prepared)
{
    free(prepared->matrix);
    free(prepared->right);
    free(prepared->diagonal);
    *prepared = (struct band_prepared){0};
}

static enum proact_status make_band_arrays(struct band_session *run,
                                           struct proact_error *err)
{
    const struct band_system *s = run->system;
    const struct band_prepared *single = run->prepared; /* NULL: f64 */
    size_t rows = s->rows, bytes = number_bytes(run), entries = band_entries(s);
    const double *values = s->diagonals ? s->diagonals : s->value;
    const void *matrix = single ? (const void *)single->matrix : values;
    const void *right = single ? (const void *)single->right : s->right;
    const void *diagonal = single ? (const void *)single->diagonal : s->diagonal;
    const struct array_plan arrays[] = {
        {{"matrix", entries, bytes}, matrix, &run->matrix},
        {{"right side", rows, bytes}, right, &run->right},
        {{"diagonal", rows, bytes}, diagonal, &run->diagonal},
        {{"x, even", rows, bytes}, NULL, &run->x[0]},
        {{"x, odd", rows, bytes}, NULL, &run->x[1]},
        {{"rows", rows + 1, sizeof *s->first}, s->first, &run->first},
        {{"columns", entries, sizeof *s->column}, s->column, &run->column},
    };
    size_t count = sizeof arrays / sizeof *arrays;

    return arrays_make(run->session, arrays, s->diagonals ? count - 2 : count, err);
}

static enum proact_status reset_x(void *context, struct proact_error *err)
{
    struct band_session *run = context;

    enum proact_status status =
        proact_array_write(run->x[0], 0, run->start, run->size.rows, err);

    /* A repeated run may receive no x, and its residuals must be comparable. */
    if (!status && run->options.schedule)
        status = proact_array_write(run->x[1], 0, run->start, run->size.rows, err);
    return status;
}

static enum proact_status launch_iteration(void *context, const struct repeat_step *step,
                                           struct proact_error *err)
{
    struct band_session *run = context;
    struct band_rows size = run->size;
    struct proact_grid grid = {.ctas = {run->size.cta_count}, .threads = {SUM_THREADS}};
    struct proact_arg args[] = {
        PROACT_ARRAY(run->matrix),   PROACT_ARRAY(run->right),
        PROACT_ARRAY(run->diagonal), PROACT_ARRAY(run->x[step->parity]),
        PROACT_ARRAY(step->before),  PROACT_ARRAY(run->x[!step->parity]),
        PROACT_ARRAY(step->after),   PROACT_VALUE(size),
        PROACT_ARRAY(run->first),    PROACT_ARRAY(run->column),
    };
    size_t count = sizeof args / sizeof *args;

    size.sum_count = step->sum_count;
    size.limit = step->tolerance;
    return proact_launch(run->step, &grid, args, run->system->diagonals ? count - 2 : count,
                         err);
}

static double residual_of(const struct band_session *run, double square)
{
    return sqrt(square) / band_scale(run->system);
}

static enum proact_status inspect_residuals(void *context, unsigned first, unsigned count,
                                            const double *changes, struct proact_error *err)
{
    struct band_session *run = context;
    enum proact_status status = PROACT_OK;

    (void)first;
    for (unsigned i = 0; i < count && !status; i++)
        status = band_watch_growth(&run->growth, residual_of(run, changes[i]), err);
    return status;
}

/* The loop counts launches; the first one computes the residual of the start. */
static void show_residual(void *context, unsigned launches, double square)
{
    struct band_session *run = context;

    run->options.progress(run->options.context, launches ? launches - 1 : 0,
                          residual_of(run, square));
}

static enum proact_status load_band(struct band_session *run, struct proact_error *err)
{
    static const char *const names[][2] = {
        [BAND_F64] = {"sparse_f64", "band_f64"},
        [BAND_F32] = {"sparse_f32", "band_f32"},
    };
    struct proact_image image = {.name = "band.cu", .text = kernel_band};
    enum proact_status status = make_band_arrays(run, err);

    run->start = app_calloc(run->size.rows, number_bytes(run));
    if (status)
        return status;
    return proact_kernel_load(run->session, &image,
                              names[run->options.type][run->system->diagonals != NULL],
                              &run->step, err);
}

/* The launch that finds a residual below the tolerance has written one x too many: the
   answer is the x that it read. */
static enum proact_status run_iterations(struct band_session *run, struct band_result *out,
                                         struct proact_error *err)
{
    const struct repeat repeat = {
        .session = run->session,
        .cta_count = run->size.cta_count,
        .tolerance = run->size.limit,
        .iterations_max = run->options.iterations_max + 1,
        .schedule = run->options.schedule,
        .launch = launch_iteration,
        .reset = reset_x,
        .inspect = inspect_residuals,
        .context = run,
        .progress = run->options.progress ? show_residual : NULL,
        .progress_context = run,
        .every_iteration = run->options.every_iteration,
        .checkpoint = run->options.checkpoint,
        .state = {{"x", run->x[0], run->size.rows, run->size.rows * number_bytes(run)}}};
    struct repeat_result loop = {0};
    enum proact_status status = repeat_run(&repeat, &loop, err);

    if (status) {
        free(loop.schedule.launches);
        return status;
    }
    unsigned iterations = loop.iterations - 1;
    struct band_result r = {.type = run->options.type,
                            .iterations = iterations,
                            .residual = residual_of(run, loop.change),
                            .converged = loop.converged,
                            .schedule = loop.schedule,
                            .time_ns = loop.time_ns,
                            .statistics = loop.statistics};

    r.x.any = app_calloc(run->size.rows, number_bytes(run));
    status = proact_array_read(run->x[iterations % 2], 0, r.x.any, run->size.rows, err);
    if (status)
        band_clear(&r);
    else
        *out = r;
    return status;
}

static void band_session_clear(struct band_session *run)
{
    proact_kernel_destroy(run->step);
    proact_array_destroy(run->matrix);
    proact_array_destroy(run->right);
    proact_array_destroy(run->diagonal);
    proact_array_destroy(run->first);
    proact_array_destroy(run->column);
    proact_array_destroy(run->x[0]);
    proact_array_destroy(run->x[1]);
    free(run->start);
}

enum proact_status band_run(struct proact *p, const struct band_system *s,
                            const struct band_options *given, struct band_result *out,
                            struct proact_error *err)
{
    struct band_session run = {.session = p, .system = s};
    enum proact_status status = band_defaults(given, &run.options, err);

    if (status)
        return status;
    struct band_prepared own = {0};
    struct band_prepared *prepared = run.options.prepared ? run.options.prepared : &own;

    if (run.options.type == BAND_F32 && !prepared->matrix)
        band_prepare(s, prepared);
    run.prepared = run.options.type == BAND_F32 ? prepared : NULL;
    run.size = band_rows_of(s, &run.options);
    if (!(status = load_band(&run, err)))
        status = run_iterations(&run, out, err);
    band_session_clear(&run);
    band_prepared_clear(&own);
    return status;
}
