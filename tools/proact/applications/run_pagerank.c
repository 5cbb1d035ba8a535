/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "applications/graph_key.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/text.h"
#include "graph/plain_text.h"
#include "pagerank/pagerank.h"
#include "pagerank/pagerank_plan.h"
#include "run/run_application.h"

enum { TOP_COUNT = 10 };
#define REFERENCE_TOLERANCE 1e-12    /* L1, in float64 */
#define REFERENCE_TOLERANCE_F32 1e-6 /* of float32 against float64 */
enum { PAGERANK_NAMES, PAGERANK_TYPE, PAGERANK_KERNEL };

static const struct run_option pagerank_options_table[] = {
    [PAGERANK_NAMES] = {.name = "names",
                        .kind = RUN_TEXT,
                        .argument = "FILE",
                        .help = "names of the vertices, one a line; a graph may name its "
                                "own file"},
    [PAGERANK_TYPE] = {.name = "type",
                       .kind = RUN_CHOICE,
                       .argument = "T",
                       .help = "f64 (default), or f32: 4 bytes a vertex are sent",
                       .choices = "f64|f32"},
    [PAGERANK_KERNEL] = {.name = "kernel",
                         .kind = RUN_CHOICE,
                         .argument = "K",
                         .help =
                             "default, or paper: one warp for each vertex in the order\n"
                             "of the file, and one lane stores",
                         .choices = "default|paper"},
    {.name = NULL},
};

struct pagerank_work {
    const char *path;
    struct graph graph;
    struct pagerank_options options;
    struct pagerank_plan plan; /* of all runs */
    char *names_text, **names; /* by vertex; NULL: no names */
};

/* The names file that the graph mentions, if it exists in the graph's folder. The caller
   frees it. */
static char *find_names(const char *path, const struct graph *g)
{
    const char *slash = strrchr(path, '/');
    struct text found = {0};

    if (!g->names_file)
        return NULL;
    text_add(&found, path, slash ? (size_t)(slash - path) + 1 : 0);
    text_print(&found, "%s", g->names_file);
    if (access(found.data, R_OK) != 0)
        text_clear(&found);
    return found.data;
}

static enum proact_status read_names(struct pagerank_work *work, const char *path,
                                     struct proact_error *err)
{
    size_t bytes, count;
    enum proact_status status = plain_text_read(path, &work->names_text, &bytes, err);

    if (status)
        return status;
    work->names = plain_text_lines(work->names_text, bytes, &count);
    if (count != work->graph.vertex_count)
        return fail(err, PROACT_EINVAL, "%s: %zu names for the %u vertices of %s", path,
                    count, work->graph.vertex_count, work->path);
    for (size_t i = 0; i < count; i++)
        for (char *c = work->names[i]; *c; c++)
            if (iscntrl((unsigned char)*c))
                *c = '?'; /* a name must not control the terminal */
    return PROACT_OK;
}

static void close_work(void *context)
{
    struct pagerank_work *work = context;

    pagerank_plan_clear(&work->plan);
    graph_clear(&work->graph);
    free(work->names);
    free(work->names_text);
    free(work);
}

static enum proact_status open_work(const struct run_request *request, void **out,
                                    struct proact_error *err)
{
    struct pagerank_work *work = must_calloc(1, sizeof *work);

    work->path = request->input;
    work->options.type = (enum pagerank_type)request->value[PAGERANK_TYPE].choice;
    work->options.kernel = (enum pagerank_kernel)request->value[PAGERANK_KERNEL].choice;
    work->options.tolerance = request->tolerance;
    work->options.iterations_max = request->iterations;
    enum proact_status status = pagerank_check(&work->options, err);

    if (!status)
        status = graph_read(request->input, MATRIX_NO_VALUES, &work->graph, err);
    if (!status) {
        const char *names = request->value[PAGERANK_NAMES].text;
        char *found = names ? NULL : find_names(request->input, &work->graph);

        if (names || found)
            status = read_names(work, found ? found : names, err);
        free(found);
    }
    if (status) {
        close_work(work);
        return status;
    }
    *out = work;
    return PROACT_OK;
}

static enum proact_status run(void *context, struct proact *p,
                              const struct run_watcher *watcher, struct run_outcome *out,
                              struct proact_error *err)
{
    struct pagerank_work *work = context;
    struct pagerank_options options = work->options;
    struct pagerank_result r;

    options.progress = watcher->progress;
    options.context = watcher->context;
    options.every_iteration = watcher->every_iteration;
    options.checkpoint = watcher->checkpoint;
    options.schedule = watcher->schedule;
    options.plan = &work->plan;
    enum proact_status status = pagerank_run(p, &work->graph, &options, &r, err);

    if (!status)
        *out =
            (struct run_outcome){.answer = r.ranks,
                                 .answer_bytes = work->graph.vertex_count * sizeof *r.ranks,
                                 .iterations = r.iterations,
                                 .residual = r.residual,
                                 .converged = r.converged,
                                 .time_ns = r.time_ns,
                                 .statistics = r.statistics,
                                 .schedule = r.schedule};
    return status;
}

static const char *pagerank_type_name(const struct pagerank_work *work)
{
    return work->options.type == PAGERANK_F32 ? "f32" : "f64";
}

static const char *pagerank_kernel_name(const struct pagerank_work *work)
{
    return work->options.kernel == PAGERANK_PAPER ? "paper" : "default";
}

static void print_input(const void *context, FILE *to)
{
    const struct pagerank_work *work = context;
    const struct graph *g = &work->graph;

    fprintf(to, "PageRank of %s: %u vertices, %u edges", work->path, g->vertex_count,
            g->edge_count);
    if (work->options.type == PAGERANK_F32)
        fprintf(to, ", in f32");
    if (work->options.kernel == PAGERANK_PAPER)
        fprintf(to, ", by the paper's kernel");
    if (g->duplicates || g->self_loops)
        fprintf(to, " (%zu duplicates merged, %zu self-loops dropped)", g->duplicates,
                g->self_loops);
    fprintf(to, "\n\n");
}

/* The first vertices in the order of rank, then of number. Returns their count. */
static unsigned find_top(const struct pagerank_work *work, const double *ranks,
                         uint32_t top[TOP_COUNT])
{
    unsigned count = 0;

    for (uint32_t v = 0; v < work->graph.vertex_count; v++) {
        unsigned at = count;

        for (; at > 0 && ranks[v] > ranks[top[at - 1]]; at--)
            if (at < TOP_COUNT)
                top[at] = top[at - 1];
        if (at < TOP_COUNT)
            top[at] = v;
        count += count < TOP_COUNT;
    }
    return count;
}

static void print_answer(const void *context, const struct run_outcome *outcome, FILE *to)
{
    const struct pagerank_work *work = context;
    const double *ranks = outcome->answer;
    uint32_t top[TOP_COUNT];
    unsigned count = find_top(work, ranks, top);

    for (unsigned i = 0; i < count; i++)
        fprintf(to, "  %2u  %.8f  %8u  %s\n", i + 1, ranks[top[i]], top[i] + 1,
                work->names ? work->names[top[i]] : "");
    fprintf(to, "\n%u iterations, %s: the last one changed the ranks by %.3g in all\n",
            outcome->iterations, outcome->converged ? "converged" : "NOT CONVERGED",
            outcome->residual);
}

static void write_input(const void *context, struct json_writer *w)
{
    const struct pagerank_work *work = context;

    json_put_text(w, "graph", work->path);
    json_put_whole(w, "vertices", work->graph.vertex_count);
    json_put_whole(w, "edges", work->graph.edge_count);
    json_put_text(w, "type", pagerank_type_name(work));
    json_put_text(w, "kernel", pagerank_kernel_name(work));
    json_put_whole(w, "duplicates_merged", work->graph.duplicates);
    json_put_whole(w, "self_loops_dropped", work->graph.self_loops);
}

static void write_answer(const void *context, const struct run_outcome *outcome,
                         struct json_writer *w)
{
    const struct pagerank_work *work = context;
    const double *ranks = outcome->answer;
    uint32_t top[TOP_COUNT];
    unsigned count = find_top(work, ranks, top);

    json_begin(w, "top", JSON_ARRAY);
    for (unsigned i = 0; i < count; i++) {
        json_begin(w, NULL, JSON_OBJECT);
        json_put_whole(w, "vertex", top[i] + 1);
        if (work->names)
            json_put_text(w, "name", work->names[top[i]]);
        json_put_real(w, "rank", ranks[top[i]]);
        json_end(w);
    }
    json_end(w);
}

static unsigned list_ranks(const void *context, const struct run_outcome *outcome,
                           struct run_array arrays[RUN_ARRAYS_MAX])
{
    const struct pagerank_work *work = context;

    arrays[0] =
        (struct run_array){"ranks", 'd', 1, {work->graph.vertex_count}, outcome->answer};
    return 1;
}

/* The L1 difference: both runs stop at the same tolerance, but add in another order. */
static enum proact_status compare_ranks(const void *context,
                                        const struct run_outcome *outcome,
                                        struct run_comparison *out,
                                        struct proact_error *err)
{
    const struct pagerank_work *work = context;
    struct pagerank_options options = work->options;
    const double *found = outcome->answer;
    struct pagerank_result want;

    (void)err;
    /* As many iterations; a sum near the tolerance may fall on either side of it. */
    options.progress = NULL;
    options.tolerance = -1;
    options.iterations_max = outcome->iterations;
    pagerank_reference(&work->graph, &options, &want);
    *out = (struct run_comparison){.what = "sum of the differences of the ranks",
                                   .tolerance = work->options.type == PAGERANK_F32
                                                    ? REFERENCE_TOLERANCE_F32
                                                    : REFERENCE_TOLERANCE};
    for (size_t i = 0; i < work->graph.vertex_count; i++)
        out->difference += fabs(found[i] - want.ranks[i]);
    pagerank_clear(&want);
    return PROACT_OK;
}

static void add_pagerank_key(const void *context, struct text *key)
{
    const struct pagerank_work *work = context;

    graph_key_add(&work->graph, key);
    text_print(key, "type %s\nkernel %s\n", pagerank_type_name(work),
               pagerank_kernel_name(work));
}

const struct run_application run_pagerank = {
    .name = "pagerank",
    .operand = "GRAPH",
    .input_missing = "a graph: a Matrix Market, METIS (.graph) or GAP (.sg) file",
    .summary = "PageRank of the vertices of a directed graph",
    .help =
        "PageRank of a graph: a Matrix Market file or a METIS graph (.graph), plain or\n"
        "gzip, or a GAP graph (.sg, .wsg). Entry (i, j) is an edge from i to j. At most\n"
        "1000 iterations (--iterations); stop if the ranks change by less than 1e-12 in\n"
        "all (--tolerance), or 1e-7 in f32.\n"
        "\n"
        "Example:\n"
        "  proact make wiki --vertices 1000 --seed 7 -o wiki.mtx\n"
        "  proact run pagerank wiki.mtx\n"
        "      PageRank of a graph like Wikipedia's on four emulated V100.\n",
    .options = pagerank_options_table,
    .open = open_work,
    .run = run,
    .print_input = print_input,
    .print_answer = print_answer,
    .write_input = write_input,
    .write_answer = write_answer,
    .list_arrays = list_ranks,
    .compare = compare_ranks,
    .add_key = add_pagerank_key,
    .quantity = "change",
    .close = close_work,
};
