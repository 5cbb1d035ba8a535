/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "applications/graph_key.h"
#include "base/fail.h"
#include "base/memory.h"
#include "run/run_application.h"
#include "sssp/sssp_answer.h"

enum { SSSP_SOURCE_OPTION, SSSP_WEIGHTS, SSSP_TYPE, SSSP_FORM, SSSP_KERNEL };
enum { PAPER_CHOICE = 1 };

static const struct run_option sssp_options_table[] = {
    [SSSP_SOURCE_OPTION] = {.name = "source",
                            .kind = RUN_WHOLE,
                            .argument = "N",
                            .help = "the vertex where all paths start, from 1 (default 1)",
                            .low = 1,
                            .high = UINT32_MAX},
    [SSSP_WEIGHTS] = {.name = "weights",
                      .kind = RUN_CHOICE,
                      .argument = "W",
                      .help = "file: the values of the file, 1 if it has none (default);\n"
                              "hash: from 1 to 255, by a hash of the edge; unit: 1",
                      .choices = "file|hash|unit"},
    [SSSP_TYPE] = {.name = "type",
                   .kind = RUN_CHOICE,
                   .argument = "T",
                   .help = "int32 (default) or f32",
                   .choices = "int32|f32"},
    [SSSP_FORM] = {.name = "form",
                   .kind = RUN_CHOICE,
                   .argument = "F",
                   .help = "rounds: each round reads all edges (default); frontier: only\n"
                           "the weights and distances of edges from changed vertices",
                   .choices = "rounds|frontier"},
    [SSSP_KERNEL] = {.name = "kernel",
                     .kind = RUN_CHOICE,
                     .argument = "K",
                     .help = "default, or paper: one warp for each vertex, and one lane\n"
                             "stores",
                     .choices = "default|paper"},
    {.name = NULL},
};

struct sssp_work {
    const char *path;
    struct graph graph;
    struct sssp_options options;
    enum sssp_weights weights;
    struct sssp_prepared prepared; /* of all runs */
    uint32_t *answer;              /* of the last run with one; NULL: none */
};

static void close_sssp(void *context)
{
    struct sssp_work *work = context;

    sssp_prepared_clear(&work->prepared);
    free(work->answer);
    graph_clear(&work->graph);
    free(work);
}

static enum proact_status take_sssp_options(const struct run_request *request,
                                            struct sssp_work *work,
                                            struct proact_error *err)
{
    const struct run_value *value = request->value;
    bool frontier = value[SSSP_FORM].choice == SSSP_FRONTIER;
    bool paper = value[SSSP_KERNEL].choice == PAPER_CHOICE;

    if (paper && frontier)
        return fail(err, PROACT_EINVAL, "sssp: --kernel paper is for --form rounds");
    work->path = request->input;
    work->weights = (enum sssp_weights)value[SSSP_WEIGHTS].choice;
    work->options.type = (enum sssp_type)value[SSSP_TYPE].choice;
    work->options.kernel = paper ? SSSP_PAPER : frontier ? SSSP_FRONTIER : SSSP_ROUNDS;
    work->options.source =
        value[SSSP_SOURCE_OPTION].given ? (uint32_t)value[SSSP_SOURCE_OPTION].whole - 1 : 0;
    work->options.rounds_max = request->iterations;
    return PROACT_OK;
}

static enum proact_status open_sssp(const struct run_request *request, void **out,
                                    struct proact_error *err)
{
    struct sssp_work *work = must_calloc(1, sizeof *work);
    enum proact_status status = take_sssp_options(request, work, err);
    enum matrix_values values = work->weights != SSSP_FILE_WEIGHTS ? MATRIX_NO_VALUES
                                : work->options.type == SSSP_F32   ? MATRIX_F32_VALUES
                                                                   : MATRIX_INT32_VALUES;

    if (!status)
        status = graph_read(request->input, values, &work->graph, err);
    if (!status) {
        struct sssp_options checked;

        status = sssp_defaults(&work->graph, &work->options, &checked, err);
        sssp_set_weights(&work->graph, work->weights);
    }
    if (status) {
        close_sssp(work);
        return status;
    }
    *out = work;
    return PROACT_OK;
}

/* The parents by distance, from 1; 0: none. Equal distances have equal parents, whose
   search passes all edges. */
static void add_parents(struct sssp_work *work, const struct sssp_result *r,
                        uint32_t *answer)
{
    size_t n = work->graph.vertex_count, bytes = n * sizeof *answer;

    if (!work->answer || memcmp(work->answer, answer, bytes) != 0) {
        uint32_t *parent = sssp_parents(&work->graph, work->options.source, r);

        if (!work->answer)
            work->answer = must_calloc(2 * n, sizeof *work->answer);
        memcpy(work->answer, answer, bytes);
        for (size_t v = 0; v < n; v++)
            work->answer[n + v] = parent[v] == SSSP_NO_PARENT ? 0 : parent[v] + 1;
        free(parent);
    }
    memcpy(answer + n, work->answer + n, bytes);
}

/* The answer is the distances, followed by the parents. A run that repeats launches has no
   answer, and its distances have no parents. */
static void make_answer(struct sssp_work *work, struct sssp_result *r, bool repeats,
                        struct run_outcome *out)
{
    size_t n = work->graph.vertex_count;
    uint32_t *answer = must_calloc(2 * n, sizeof *answer);

    memcpy(answer, r->distance.any, n * sizeof *answer);
    if (!repeats)
        add_parents(work, r, answer);
    *out = (struct run_outcome){.answer = answer,
                                .answer_bytes = 2 * n * sizeof *answer,
                                .iterations = r->rounds,
                                .residual = r->changed,
                                .converged = r->converged,
                                .time_ns = r->time_ns,
                                .statistics = r->statistics,
                                .schedule = r->schedule};
    r->schedule = (struct repeat_schedule){0}; /* the outcome owns it */
}

static enum proact_status run_sssp_once(void *context, struct proact *p,
                                        const struct run_watcher *watcher,
                                        struct run_outcome *out, struct proact_error *err)
{
    struct sssp_work *work = context;
    struct sssp_options options = work->options;
    struct sssp_result r;

    options.progress = watcher->progress;
    options.context = watcher->context;
    options.every_iteration = watcher->every_iteration;
    options.schedule = watcher->schedule;
    options.prepared = &work->prepared;
    options.checkpoint = watcher->checkpoint;
    enum proact_status status = sssp_run(p, &work->graph, &options, &r, err);

    if (!status) {
        make_answer(work, &r, watcher->schedule, out);
        sssp_clear(&r);
    }
    return status;
}

static void add_sssp_key(const void *context, struct text *key)
{
    static const char *const forms[] = {"rounds", "frontier", "paper"};
    const struct sssp_work *work = context;

    graph_key_add(&work->graph, key);
    text_print(key, "source %u\ntype %s\nform %s\n", work->options.source + 1,
               work->options.type == SSSP_F32 ? "f32" : "int32",
               forms[work->options.kernel]);
}

static void print_sssp_input(const void *context, FILE *to)
{
    static const char *const weights[] = {"of the file", "by hash", "of 1"};
    const struct sssp_work *work = context;
    const struct graph *g = &work->graph;

    fprintf(to,
            "Shortest paths from vertex %u of %s: %u vertices, %u edges, weights %s in "
            "%s\n\n",
            work->options.source + 1, work->path, g->vertex_count, g->edge_count,
            weights[work->weights], work->options.type == SSSP_F32 ? "f32" : "int32");
}

static struct sssp_summary summarize_answer(const struct sssp_work *work,
                                            const struct run_outcome *outcome)
{
    const struct sssp_result r = {.type = work->options.type,
                                  .distance = {.any = outcome->answer}};

    return sssp_summarize(work->graph.vertex_count, &r);
}

static void print_sssp_answer(const void *context, const struct run_outcome *outcome,
                              FILE *to)
{
    const struct sssp_work *work = context;
    struct sssp_summary s = summarize_answer(work, outcome);

    fprintf(to,
            "%u of %u vertices are reached; the farthest is vertex %u at distance %.9g; "
            "the distances sum up to %.15g\n\n",
            s.reached, work->graph.vertex_count, s.farthest + 1, s.greatest, s.sum);
    fprintf(to, "%u rounds, %s: the last one changed %.0f distances\n", outcome->iterations,
            outcome->converged ? "converged" : "NOT CONVERGED", outcome->residual);
}

static void write_sssp_input(const void *context, struct json_writer *w)
{
    static const char *const kernels[] = {"rounds", "frontier", "paper"};
    static const char *const weights[] = {"file", "hash", "unit"};
    const struct sssp_work *work = context;

    json_put_text(w, "graph", work->path);
    json_put_whole(w, "vertices", work->graph.vertex_count);
    json_put_whole(w, "edges", work->graph.edge_count);
    json_put_whole(w, "source", work->options.source + 1);
    json_put_text(w, "weights", weights[work->weights]);
    json_put_text(w, "type", work->options.type == SSSP_F32 ? "f32" : "int32");
    json_put_text(w, "kernel", kernels[work->options.kernel]);
}

static void write_sssp_answer(const void *context, const struct run_outcome *outcome,
                              struct json_writer *w)
{
    struct sssp_summary s = summarize_answer(context, outcome);

    json_put_whole(w, "reached", s.reached);
    json_put_whole(w, "farthest", s.farthest + 1);
    json_put_real(w, "greatest_distance", s.greatest);
    json_put_real(w, "sum_of_distances", s.sum);
}

static unsigned list_paths(const void *context, const struct run_outcome *outcome,
                           struct run_array arrays[RUN_ARRAYS_MAX])
{
    const struct sssp_work *work = context;
    size_t n = work->graph.vertex_count;
    const uint32_t *answer = outcome->answer;
    char type = work->options.type == SSSP_F32 ? 'f' : 'i';

    arrays[0] = (struct run_array){"distances", type, 1, {n}, answer};
    arrays[1] = (struct run_array){"parents", 'u', 1, {n}, answer + n};
    return 2;
}

static enum proact_status compare_distances(const void *context,
                                            const struct run_outcome *outcome,
                                            struct run_comparison *out,
                                            struct proact_error *err)
{
    const struct sssp_work *work = context;
    const uint32_t *found = outcome->answer, *wanted;
    struct sssp_result want;
    enum proact_status status = sssp_reference(&work->graph, &work->options, &want, err);

    if (status)
        return status;
    wanted = want.distance.any;
    *out = (struct run_comparison){.what = "number of other distances"};
    for (size_t v = 0; v < work->graph.vertex_count; v++)
        out->difference += found[v] != wanted[v];
    sssp_clear(&want);
    return PROACT_OK;
}

const struct run_application run_sssp = {
    .name = "sssp",
    .operand = "GRAPH",
    .input_missing = "a graph: a Matrix Market, METIS (.graph) or GAP (.wsg) file",
    .summary = "shortest paths from one vertex of a directed graph",
    .help =
        "Shortest paths by Bellman-Ford's algorithm, which stops after a round that\n"
        "changes no distance. Entry (i, j) of a Matrix Market file is an edge from i to\n"
        "j, and its value the weight, which may be negative. Sums above 2147483647 stay\n"
        "there. A negative cycle is an error. The rounds are limited to the number of\n"
        "vertices (--iterations). --output writes distances and parents: vertices from\n"
        "1, 0 for none; an unreachable vertex has distance -2147483648, or inf in f32.\n"
        "\n"
        "Example:\n"
        "  proact make wiki --vertices 1000 --seed 7 -o wiki.mtx\n"
        "  proact run sssp wiki.mtx --source 2 --weights hash --form frontier --reference\n"
        "      Paths in a graph like Wikipedia's on four emulated V100.\n",
    .stop_rule = "when no distance changes",
    .options = sssp_options_table,
    .open = open_sssp,
    .run = run_sssp_once,
    .print_input = print_sssp_input,
    .print_answer = print_sssp_answer,
    .write_input = write_sssp_input,
    .write_answer = write_sssp_answer,
    .list_arrays = list_paths,
    .compare = compare_distances,
    .quantity = "changed",
    .add_key = add_sssp_key,
    .close = close_sssp,
};
