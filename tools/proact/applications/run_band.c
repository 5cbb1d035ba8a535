/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "band/band_answer.h"
#include "base/fail.h"
#include "base/hash.h"
#include "base/memory.h"
#include "run/run_application.h"

enum { BAND_MATRIX, BAND_ROWS, BAND_HALF_WIDTH, BAND_DOMINANCE, BAND_TYPE };
enum { ROWS_DEFAULT = 10000, HALF_WIDTH_DEFAULT = 13 };
#define DOMINANCE_DEFAULT 1.1

static const struct run_option band_options_table[] = {
    [BAND_MATRIX] = {.name = "matrix",
                     .kind = RUN_TEXT,
                     .argument = "FILE",
                     .help = "a square matrix: a Matrix Market file, plain or gzip\n"
                             "(default: a generated band matrix)"},
    [BAND_ROWS] = {.name = "rows",
                   .kind = RUN_WHOLE,
                   .argument = "N",
                   .help = "rows of the generated matrix (default 10000)",
                   .low = 1,
                   .high = (uint64_t)1 << 31},
    [BAND_HALF_WIDTH] = {.name = "half-width",
                         .kind = RUN_WHOLE,
                         .argument = "N",
                         .help = "diagonals on each side of the main one (default 13)",
                         .low = 0,
                         .high = 1 << 20},
    [BAND_DOMINANCE] = {.name = "dominance",
                        .kind = RUN_REAL,
                        .argument = "D",
                        .help = "diagonal over the sum of the moduli of the other entries "
                                "of\n"
                                "its row; it converges above 1 (default 1.1)",
                        .least = 1e-6,
                        .most = 1e6},
    [BAND_TYPE] = {.name = "type",
                   .kind = RUN_CHOICE,
                   .argument = "T",
                   .help = "f64 (default) or f32",
                   .choices = "f64|f32"},
    {.name = NULL},
};

struct band_work {
    const char *path; /* NULL: generated */
    struct band_shape shape;
    struct band_system system;
    struct band_options options;
    struct band_prepared prepared; /* of all runs */
};

static void close_band(void *context)
{
    struct band_work *work = context;

    band_prepared_clear(&work->prepared);
    band_system_clear(&work->system);
    free(work);
}

static enum proact_status make_system(const struct run_request *request,
                                      struct band_work *work, struct proact_error *err)
{
    const struct run_value *value = request->value;

    if (!work->path)
        return band_generate(&work->shape, &work->system, err);
    for (unsigned i = BAND_ROWS; i <= BAND_DOMINANCE; i++)
        if (value[i].given)
            return fail(err, PROACT_EINVAL, "band: --%s is for generated matrices",
                        band_options_table[i].name);
    return band_read(work->path, &work->system, err);
}

static enum proact_status open_band(const struct run_request *request, void **out,
                                    struct proact_error *err)
{
    const struct run_value *value = request->value;
    struct band_work *work = must_calloc(1, sizeof *work);
    struct band_options checked;

    work->path = value[BAND_MATRIX].text;
    work->shape.rows =
        value[BAND_ROWS].given ? (uint32_t)value[BAND_ROWS].whole : ROWS_DEFAULT;
    work->shape.half_width = value[BAND_HALF_WIDTH].given
                                 ? (uint32_t)value[BAND_HALF_WIDTH].whole
                                 : HALF_WIDTH_DEFAULT;
    work->shape.dominance =
        value[BAND_DOMINANCE].given ? value[BAND_DOMINANCE].real : DOMINANCE_DEFAULT;
    work->options.type = (enum band_type)value[BAND_TYPE].choice;
    work->options.tolerance = request->tolerance;
    work->options.iterations_max = request->iterations;
    enum proact_status status = band_defaults(&work->options, &checked, err);

    if (!status)
        status = make_system(request, work, err);
    if (status) {
        close_band(work);
        return status;
    }
    *out = work;
    return PROACT_OK;
}

static void add_band_key(const void *context, struct text *key)
{
    const struct band_work *work = context;
    const struct band_system *s = &work->system;
    const size_t rows = s->rows, bytes = sizeof(double);
    uint64_t hash = hash_bytes(s->diagonal, rows * bytes, 0);

    hash = hash_bytes(s->right, rows * bytes, hash);
    if (s->diagonals)
        hash = hash_bytes(s->diagonals, (2ul * s->half_width + 1) * rows * bytes, hash);
    else
        hash = hash_bytes(s->value, s->first[rows] * bytes, hash);
    text_print(key, "system of %u rows and half-width %u, hash %016llx\ntype %s\n", s->rows,
               s->half_width, (unsigned long long)hash,
               work->options.type == BAND_F32 ? "f32" : "f64");
}

static enum proact_status run_band_once(void *context, struct proact *p,
                                        const struct run_watcher *watcher,
                                        struct run_outcome *out, struct proact_error *err)
{
    struct band_work *work = context;
    struct band_options options = work->options;
    struct band_result r;

    options.prepared = &work->prepared;
    options.progress = watcher->progress;
    options.context = watcher->context;
    options.every_iteration = watcher->every_iteration;
    options.schedule = watcher->schedule;
    options.checkpoint = watcher->checkpoint;
    enum proact_status status = band_run(p, &work->system, &options, &r, err);
    size_t bytes = options.type == BAND_F32 ? sizeof(float) : sizeof(double);

    if (!status)
        *out = (struct run_outcome){.answer = r.x.any,
                                    .answer_bytes = work->system.rows * bytes,
                                    .iterations = r.iterations,
                                    .residual = r.residual,
                                    .converged = r.converged,
                                    .time_ns = r.time_ns,
                                    .statistics = r.statistics,
                                    .schedule = r.schedule};
    return status;
}

static const char *band_type_name(const struct band_work *work)
{
    return work->options.type == BAND_F32 ? "f32" : "f64";
}

static void print_band_input(const void *context, FILE *to)
{
    const struct band_work *work = context;
    const struct band_system *s = &work->system;

    if (work->path)
        fprintf(to, "Jacobi's method in %s on %s: %u rows, %u entries\n\n",
                band_type_name(work), work->path, s->rows, s->first[s->rows]);
    else
        fprintf(to,
                "Jacobi's method in %s on a band matrix: %u rows, half-width %u, dominance "
                "%g\n\n",
                band_type_name(work), s->rows, s->half_width, work->shape.dominance);
}

static double answer_error(const struct band_work *work, const struct run_outcome *outcome)
{
    const struct band_result r = {.type = work->options.type,
                                  .x = {.any = outcome->answer}};

    return band_error(&work->system, &r);
}

static void print_band_answer(const void *context, const struct run_outcome *outcome,
                              FILE *to)
{
    fprintf(to,
            "%u iterations, %s: residual %.6g of the right side; the largest error of x is "
            "%.3g\n",
            outcome->iterations, outcome->converged ? "converged" : "NOT CONVERGED",
            outcome->residual, answer_error(context, outcome));
}

static void write_band_input(const void *context, struct json_writer *w)
{
    const struct band_work *work = context;

    if (work->path)
        json_put_text(w, "matrix", work->path);
    json_put_whole(w, "rows", work->system.rows);
    json_put_text(w, "type", band_type_name(work));
    if (work->path)
        return;
    json_put_whole(w, "half_width", work->shape.half_width);
    json_put_real(w, "dominance", work->shape.dominance);
}

static void write_band_answer(const void *context, const struct run_outcome *outcome,
                              struct json_writer *w)
{
    json_put_real(w, "largest_error", answer_error(context, outcome));
}

static unsigned list_x(const void *context, const struct run_outcome *outcome,
                       struct run_array arrays[RUN_ARRAYS_MAX])
{
    const struct band_work *work = context;
    char type = work->options.type == BAND_F32 ? 'f' : 'd';

    arrays[0] = (struct run_array){"x", type, 1, {work->system.rows}, outcome->answer};
    return 1;
}

/* As many iterations; a residual near the tolerance may fall on either side of it. */
static enum proact_status compare_x(const void *context, const struct run_outcome *outcome,
                                    struct run_comparison *out, struct proact_error *err)
{
    const struct band_work *work = context;
    struct band_options options = work->options;
    struct band_result want;

    options.tolerance = -1;
    options.iterations_max = outcome->iterations;
    if (options.iterations_max == 0) { /* 0 would be the default */
        *out = (struct run_comparison){.what = "largest difference of x"};
        return PROACT_OK;
    }
    enum proact_status status = band_reference(&work->system, &options, &want, err);

    if (status)
        return status;
    *out = (struct run_comparison){.what = "largest difference of x"};
    for (size_t i = 0; i < work->system.rows; i++) {
        double found = options.type == BAND_F32
                           ? (double)((const float *)outcome->answer)[i]
                           : ((const double *)outcome->answer)[i];
        double wanted = options.type == BAND_F32 ? (double)want.x.f32[i] : want.x.f64[i];

        out->difference = fmax(out->difference, fabs(found - wanted));
    }
    band_clear(&want);
    return PROACT_OK;
}

const struct run_application run_band = {
    .name = "band",
    .summary = "Jacobi's method for band or sparse linear systems",
    .help =
        "Solve A x = b by x' = x + (b - A x) / diagonal, from x = 0; b is A times a known\n"
        "solution. Stop if the residual |b - A x| / |b| is below 1e-10, or 1e-6 in f32\n"
        "(--tolerance), or after 2000 iterations (--iterations). A residual that grows in\n"
        "10 iterations in a row is an error, and so is a zero on the diagonal.\n"
        "\n"
        "Example:\n"
        "  proact run band --rows 5000 --half-width 4 --tolerance 1e-6 --reference\n"
        "      A small band matrix on four emulated V100.\n",
    .options = band_options_table,
    .open = open_band,
    .run = run_band_once,
    .print_input = print_band_input,
    .print_answer = print_band_answer,
    .write_input = write_band_input,
    .write_answer = write_band_answer,
    .list_arrays = list_x,
    .compare = compare_x,
    .quantity = "residual",
    .add_key = add_band_key,
    .close = close_band,
};
