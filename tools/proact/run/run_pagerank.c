/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/text.h"
#include "graph/plain_text.h"
#include "pagerank/pagerank.h"
#include "run/run_application.h"

enum { TOP_COUNT = 10 };

struct pagerank_work {
    const char *path;
    struct graph graph;
    struct pagerank_options options;
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

    graph_clear(&work->graph);
    free(work->names);
    free(work->names_text);
    free(work);
}

static enum proact_status open_work(const struct run_request *request, void **out,
                                    struct proact_error *err)
{
    struct pagerank_work *work = must_calloc(1, sizeof *work);
    enum proact_status status =
        graph_read(request->input, MATRIX_NO_VALUES, &work->graph, err);

    work->path = request->input;
    work->options.tolerance = request->tolerance;
    work->options.iterations_max = request->iterations;
    if (!status) {
        char *found = request->names ? NULL : find_names(request->input, &work->graph);

        if (request->names || found)
            status = read_names(work, found ? found : request->names, err);
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
    enum proact_status status = pagerank_run(p, &work->graph, &options, &r, err);

    if (!status)
        *out =
            (struct run_outcome){r.ranks,      work->graph.vertex_count * sizeof *r.ranks,
                                 r.iterations, r.residual,
                                 r.converged,  r.time_ns,
                                 r.statistics};
    return status;
}

static void print_input(const void *context, FILE *to)
{
    const struct pagerank_work *work = context;
    const struct graph *g = &work->graph;

    fprintf(to, "PageRank of %s: %u vertices, %u edges", work->path, g->vertex_count,
            g->edge_count);
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

const struct run_application run_pagerank = {
    .name = "pagerank",
    .takes_input = true,
    .open = open_work,
    .run = run,
    .print_input = print_input,
    .print_answer = print_answer,
    .write_input = write_input,
    .write_answer = write_answer,
    .close = close_work,
};
