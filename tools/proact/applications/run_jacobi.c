/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "jacobi/jacobi.h"
#include "run/run_application.h"

enum { SIZE_DEFAULT = 1024 };
enum { JACOBI_SIZE };

static const struct run_option jacobi_options_table[] = {
    [JACOBI_SIZE] = {.name = "size",
                     .kind = RUN_WHOLE,
                     .argument = "N",
                     .help = "cells per side, 3 to 32768 (default 1024)",
                     .low = 3,
                     .high = 32768},
    {.name = NULL},
};

static enum proact_status open_work(const struct run_request *request, void **out,
                                    struct proact_error *err)
{
    (void)err;
    struct jacobi_options *options = must_calloc(1, sizeof *options);

    const struct run_value *size = &request->value[JACOBI_SIZE];

    options->size = size->given ? (uint32_t)size->whole : SIZE_DEFAULT;
    options->iterations_max = request->iterations;
    options->tolerance = request->tolerance;
    *out = options;
    return PROACT_OK;
}

static enum proact_status run(void *context, struct proact *p,
                              const struct run_watcher *watcher, struct run_outcome *out,
                              struct proact_error *err)
{
    struct jacobi_options options = *(struct jacobi_options *)context;
    struct jacobi_result r;

    options.progress = watcher->progress;
    options.context = watcher->context;
    options.every_iteration = watcher->every_iteration;
    options.checkpoint = watcher->checkpoint;
    options.schedule = watcher->schedule;
    enum proact_status status = jacobi_run(p, &options, &r, err);

    if (!status)
        *out =
            (struct run_outcome){.answer = r.cells,
                                 .answer_bytes = (size_t)r.size * r.size * sizeof *r.cells,
                                 .iterations = r.iterations,
                                 .residual = r.residual,
                                 .converged = r.converged,
                                 .time_ns = r.time_ns,
                                 .statistics = r.statistics,
                                 .schedule = r.schedule};
    return status;
}

static void print_input(const void *context, FILE *to)
{
    const struct jacobi_options *options = context;

    fprintf(to, "Jacobi's iteration on %u x %u cells\n\n", options->size, options->size);
}

static void print_answer(const void *context, const struct run_outcome *outcome, FILE *to)
{
    (void)context;
    fprintf(to, "%u iterations, %s: the last one changed the cells by %.3g (L2)\n",
            outcome->iterations, outcome->converged ? "converged" : "not converged",
            outcome->residual);
}

static void write_input(const void *context, struct json_writer *w)
{
    const struct jacobi_options *options = context;

    json_put_whole(w, "size", options->size);
}

static void write_answer(const void *context, const struct run_outcome *outcome,
                         struct json_writer *w)
{
    const struct jacobi_options *options = context;
    const float *cells = outcome->answer;
    size_t size = options->size;

    json_put_real(w, "cell_at_quarter", (double)cells[size / 4 * size + size / 4]);
}

static unsigned list_cells(const void *context, const struct run_outcome *outcome,
                           struct run_array arrays[RUN_ARRAYS_MAX])
{
    const struct jacobi_options *options = context;

    arrays[0] = (struct run_array){
        "cells", 'f', 2, {options->size, options->size}, outcome->answer};
    return 1;
}

static enum proact_status compare_cells(const void *context,
                                        const struct run_outcome *outcome,
                                        struct run_comparison *out,
                                        struct proact_error *err)
{
    struct jacobi_options options = *(const struct jacobi_options *)context;
    const float *found = outcome->answer;
    struct jacobi_result want;

    options.progress = NULL;
    enum proact_status status = jacobi_reference(&options, &want, err);

    if (status)
        return status;
    *out = (struct run_comparison){.what = "largest difference of a cell"};
    for (size_t i = 0; i < (size_t)want.size * want.size; i++)
        out->difference =
            fmax(out->difference, fabs((double)found[i] - (double)want.cells[i]));
    jacobi_clear(&want);
    return PROACT_OK;
}

static void add_jacobi_key(const void *context, struct text *key)
{
    const struct jacobi_options *options = context;

    text_print(key, "size %u\n", options->size);
}

const struct run_application run_jacobi = {
    .name = "jacobi",
    .summary = "Jacobi iteration on a square of cells, in float32",
    .help =
        "Solve Laplace's equation on a square: each cell becomes the mean of its four\n"
        "neighbours. At most 100 iterations (--iterations); stop if the cells change by\n"
        "less than 1e-6 (--tolerance).\n"
        "\n"
        "Example:\n"
        "  proact run jacobi --size 512 --iterations 50 --chunk 256K --json jacobi.json\n"
        "      A small grid, larger chunks, and the table as data.\n",
    .options = jacobi_options_table,
    .open = open_work,
    .run = run,
    .print_input = print_input,
    .print_answer = print_answer,
    .write_input = write_input,
    .write_answer = write_answer,
    .list_arrays = list_cells,
    .compare = compare_cells,
    .add_key = add_jacobi_key,
    .quantity = "change",
    .close = free,
};
