/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/text.h"
#include "command.h"
#include "make/make_generator.h"
#include "make/make_options.h"
#include "make/make_output.h"
#include "make/wiki_graph.h"
#include "option_values.h"
#include "progress_bar.h"

/* An eighth of wikipedia-20070206: 3,566,907 vertices and 45,030,389 edges. */
enum {
    VERTICES_DEFAULT = 445863,
    WIKIPEDIA_VERTICES = 3566907,
    WIKIPEDIA_EDGES = 45030389
};
enum { LINES_BYTES = 1 << 16, LINE_BYTES_MAX = 24 };
static const double generate_share = 0.6; /* of the time; writing takes the rest */

static const char wiki_help[] =
    "Usage: proact make wiki [OPTION...] -o FILE\n"
    "\n"
    "Generates a directed graph with the degree distribution of Wikipedia's links, for\n"
    "proact run pagerank. It has exactly the vertices and edges that are named, no loops\n"
    "and no duplicates. The same options make the same graph on every machine.\n"
    "\n"
    "  --vertices N       vertices, 2 to 4294967295 (445863)\n"
    "  --edges N          edges, 1 to 4294967295 (12.62 for each vertex, as in Wikipedia)\n"
    "  --seed S           another seed, another graph (0)\n"
    "  -o, --output FILE  FILE.sg: a binary graph of the GAP Benchmark Suite; otherwise a\n"
    "                     Matrix Market file, compressed if the name ends in .gz; -: "
    "stdout\n"
    "\n"
    "Examples:\n"
    "  proact make wiki --vertices 5000 --edges 63000 --seed 7 -o wiki.mtx.gz\n"
    "      A small graph.\n"
    "  proact run pagerank wiki.mtx.gz --method bulk,inline,fused --iterations 16\n"
    "      Compares three methods on it.\n"
    "  proact make wiki --vertices 1000 -o - | head -3\n"
    "      The first lines.\n"
    "\n"
    "A graph of 3566907 vertices is as large as Wikipedia was in February 2007. Its file\n"
    "takes about 600 MB, and the generator 1 GB of memory.\n";

struct wiki_words {
    char *vertices, *edges, *seed;
};

struct wiki_request {
    struct wiki_words words;
    struct wiki_options options;
    const char *path;
    bool is_binary;
};

static int wiki_take_values(void *request)
{
    struct wiki_request *r = request;
    const struct wiki_words *w = &r->words;
    const struct option_range vertices = {"make wiki", "vertices", 2, UINT32_MAX};
    const struct option_range edges = {"make wiki", "edges", 1, UINT32_MAX};
    const struct option_range seed = {"make wiki", "seed", 0, INT64_MAX};
    struct wiki_options *o = &r->options;
    int code;

    o->vertices = VERTICES_DEFAULT;
    if ((code = option_integer(&vertices, w->vertices, &o->vertices)))
        return code;
    o->edges = o->vertices * WIKIPEDIA_EDGES / WIKIPEDIA_VERTICES;
    if ((code = option_integer(&edges, w->edges, &o->edges)) ||
        (code = option_integer(&seed, w->seed, &o->seed)))
        return code;
    if (o->edges > UINT32_MAX)
        return usage_error("make wiki", "%llu vertices: add --edges N of at most %u",
                           (unsigned long long)o->vertices, UINT32_MAX);
    uint64_t most = o->vertices * (o->vertices - 1);

    if (o->edges > most)
        return usage_error("make wiki", "%llu vertices have at most %llu edges, found %llu",
                           (unsigned long long)o->vertices, (unsigned long long)most,
                           (unsigned long long)o->edges);
    return EXIT_FINE;
}

struct wiki_progress {
    struct progress_bar bar;
    const char *text;
    double from, share; /* of the whole work */
};

static void wiki_step(void *context, double part)
{
    struct wiki_progress *p = context;

    if (progress_bar_is_due(&p->bar))
        progress_bar_draw(&p->bar, p->from + p->share * part, p->text);
}

static char *wiki_put_number(char *at, uint64_t value)
{
    char digits[20];
    int count = 0;

    do
        digits[count++] = (char)('0' + value % 10);
    while (value /= 10);
    while (count)
        *at++ = digits[--count];
    return at;
}

static void wiki_write_head(const struct wiki_options *o, struct make_output *output)
{
    struct text head = {0};

    text_print(&head,
               "%%%%MatrixMarket matrix coordinate pattern general\n"
               "%% proact make wiki --vertices %llu --edges %llu --seed %llu\n"
               "%llu %llu %llu\n",
               (unsigned long long)o->vertices, (unsigned long long)o->edges,
               (unsigned long long)o->seed, (unsigned long long)o->vertices,
               (unsigned long long)o->vertices, (unsigned long long)o->edges);
    make_output_add(output, head.data, head.length);
    text_clear(&head);
}

static void wiki_write_edges(const struct wiki_options *o, const uint64_t *edge,
                             struct make_output *output)
{
    char lines[LINES_BYTES + LINE_BYTES_MAX], *at = lines;

    for (uint64_t i = 0; i < o->edges; i++) {
        at = wiki_put_number(at, (edge[i] >> 32) + 1);
        *at++ = ' ';
        at = wiki_put_number(at, (edge[i] & UINT32_MAX) + 1);
        *at++ = '\n';
        if (at - lines < LINES_BYTES && i + 1 < o->edges)
            continue;
        make_output_add(output, lines, (size_t)(at - lines));
        at = lines;
        o->progress(o->context, (double)i / (double)o->edges);
    }
}

/* Offsets, then neighbours, of the lists of all vertices. `edge` is ascending by vertex in
   its upper half. */
static void wiki_write_lists(const struct wiki_options *o, const uint64_t *edge,
                             struct make_output *output)
{
    uint32_t few[LINES_BYTES / sizeof(uint32_t)];
    size_t count = 0;
    uint64_t next = 0;

    for (uint64_t v = 0; v <= o->vertices; v++) {
        while (next < o->edges && edge[next] >> 32 < v)
            next++;
        make_output_add(output, (const char *)&next, sizeof next);
    }
    for (uint64_t i = 0; i < o->edges; i++) {
        few[count++] = (uint32_t)edge[i];
        if (count < sizeof few / sizeof *few && i + 1 < o->edges)
            continue;
        make_output_add(output, (const char *)few, count * sizeof *few);
        count = 0;
    }
}

/* Exchanges the two halves of each edge and sorts by the new upper one. The order of equal
   ones remains, so that both halves are ascending. */
static enum proact_status wiki_transpose(const struct wiki_options *o, uint64_t **edge,
                                         struct proact_error *err)
{
    uint64_t *next = calloc(o->vertices + 1, sizeof *next);
    uint64_t *turned = malloc(o->edges * sizeof *turned);

    if (!next || !turned) {
        free(next);
        free(turned);
        return fail(err, PROACT_ENOSPACE, "not enough memory for a graph of %llu edges",
                    (unsigned long long)o->edges);
    }
    for (uint64_t i = 0; i < o->edges; i++)
        next[((*edge)[i] & UINT32_MAX) + 1]++;
    for (uint64_t v = 0; v < o->vertices; v++)
        next[v + 1] += next[v];
    for (uint64_t i = 0; i < o->edges; i++) {
        uint64_t target = (*edge)[i] & UINT32_MAX;

        turned[next[target]++] = target << 32 | (*edge)[i] >> 32;
    }
    free(next);
    free(*edge);
    *edge = turned;
    return PROACT_OK;
}

/* The layout is that of apps/graph/gap.c, directed. */
static enum proact_status wiki_write_binary(const struct wiki_options *o, uint64_t **edge,
                                            struct make_output *output,
                                            struct proact_error *err)
{
    make_output_add(output, "\1", 1);
    make_output_add(output, (const char *)&o->edges, sizeof o->edges);
    make_output_add(output, (const char *)&o->vertices, sizeof o->vertices);
    wiki_write_lists(o, *edge, output);
    enum proact_status status = wiki_transpose(o, edge, err);

    if (!status)
        wiki_write_lists(o, *edge, output);
    return status;
}

static enum proact_status wiki_create(const struct wiki_request *r,
                                      struct wiki_progress *progress,
                                      struct proact_error *err)
{
    struct make_output *output;
    uint64_t *edge = NULL;
    enum proact_status status = wiki_graph_create(&r->options, &edge, err);

    if (status)
        return status;
    progress->text = "writing";
    progress->from = generate_share;
    progress->share = 1 - generate_share;
    if (!(status = make_output_open(r->path, &output, err))) {
        if (r->is_binary) {
            status = wiki_write_binary(&r->options, &edge, output, err);
        } else {
            wiki_write_head(&r->options, output);
            wiki_write_edges(&r->options, edge, output);
        }
        if (status)
            make_output_discard(output);
        else
            status = make_output_finish(output, err);
    }
    free(edge);
    return status;
}

static enum proact_status wiki_make_file(void *context, const char *path,
                                         struct proact_error *err)
{
    struct wiki_request *request = context;
    struct wiki_progress progress = {.text = "generating", .share = generate_share};
    const size_t length = strlen(path);

    request->is_binary = length > 3 && strcmp(path + length - 3, ".sg") == 0;
    request->path = path;
    request->options.progress = wiki_step;
    request->options.context = &progress;
    progress_bar_init(&progress.bar);
    enum proact_status status = wiki_create(request, &progress, err);

    progress_bar_clear(&progress.bar);
    return status;
}

static int wiki_run(int argc, char **argv)
{
    struct wiki_request request = {.path = NULL};
    const struct poptOption table[] = {
        {"vertices", 0, POPT_ARG_STRING, &request.words.vertices, 0, NULL, NULL},
        {"edges", 0, POPT_ARG_STRING, &request.words.edges, 0, NULL, NULL},
        {"seed", 0, POPT_ARG_STRING, &request.words.seed, 0, NULL, NULL},
        POPT_TABLEEND,
    };
    const struct make_options options = {"make wiki", wiki_help,        table,
                                         &request,    wiki_take_values, wiki_make_file};

    return make_options_run(&options, argc, argv);
}

const struct make_generator make_wiki = {
    .name = "wiki",
    .summary = "a directed graph with the degrees of Wikipedia's links, for pagerank",
    .run = wiki_run,
};
