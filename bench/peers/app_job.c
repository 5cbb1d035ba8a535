/* SPDX-License-Identifier: Apache-2.0 */
#include "app_job.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The programs of this folder have the kernels in another form (app_wrap.cuh). */
const char kernel_pagerank[1], kernel_jacobi[1], kernel_band[1], kernel_sssp[1],
    kernel_repeat[1], kernel_als_gradient[1], kernel_als_solve[1], kernel_als_strata[1],
    kernel_als_errors[1], kernel_ct_f32[1], kernel_ct_f64[1];

static const char *const names[APPS] = {"pagerank", "sssp", "jacobi", "band", "als", "ct"};

/* The words and numbers of the command line; 0 and NULL: not given. */
struct job_words {
    unsigned devices, runs, iterations, size, rows, half_width, rank, views, subsets,
        slices, channels, source, one_device_ns;
    const char *weights, *kernel, *type, *update;
    bool shares, no_graph;
};

static _Noreturn void job_die(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    exit(2);
}

static void job_usage(const char *program)
{
    fprintf(stderr,
            "usage: %s pagerank|sssp|jacobi|band|als|ct [FILE] [--devices N] [--share]\n"
            "  [--no-graph] [--runs N] [--iterations N] [--type f32|f64] [--kernel "
            "default|paper]\n"
            "  sssp: --weights file|hash|unit --source N   jacobi: --size N\n"
            "  band: --rows N --half-width N   als: --update als|gradient --rank N\n"
            "  ct: --size N --views N --channels N --subsets N --slices N\n",
            program);
    exit(2);
}

static unsigned job_number(const char *option, const char *text)
{
    char *end;
    const unsigned long n = strtoul(text, &end, 10);

    if (*end || !*text || n < 1 || n > 1000000000)
        job_die(option, "a number from 1 to 1000000000 was expected");
    return (unsigned)n;
}

static void job_parse(int argc, char **argv, struct job_words *w)
{
    enum { OPTIONS = 19 };
    const struct {
        const char *name;
        unsigned *number;
        const char **word;
        bool *flag; /* one of the three */
    } known[OPTIONS] = {{"devices", &w->devices, NULL, NULL},
                        {"runs", &w->runs, NULL, NULL},
                        {"iterations", &w->iterations, NULL, NULL},
                        {"size", &w->size, NULL, NULL},
                        {"rows", &w->rows, NULL, NULL},
                        {"half-width", &w->half_width, NULL, NULL},
                        {"rank", &w->rank, NULL, NULL},
                        {"views", &w->views, NULL, NULL},
                        {"subsets", &w->subsets, NULL, NULL},
                        {"slices", &w->slices, NULL, NULL},
                        {"channels", &w->channels, NULL, NULL},
                        {"source", &w->source, NULL, NULL},
                        {"one-device-ns", &w->one_device_ns, NULL, NULL},
                        {"weights", NULL, &w->weights, NULL},
                        {"kernel", NULL, &w->kernel, NULL},
                        {"type", NULL, &w->type, NULL},
                        {"update", NULL, &w->update, NULL},
                        {"share", NULL, NULL, &w->shares},
                        {"no-graph", NULL, NULL, &w->no_graph}};
    struct option table[OPTIONS + 1] = {{NULL, 0, NULL, 0}};

    for (int i = 0; i < OPTIONS; i++)
        table[i] = (struct option){known[i].name, !known[i].flag, NULL, i};
    for (int code; (code = getopt_long(argc, argv, "", table, NULL)) != -1;) {
        if (code == '?')
            job_usage(argv[0]);
        if (known[code].number)
            *known[code].number = job_number(known[code].name, optarg);
        else if (known[code].word)
            *known[code].word = optarg;
        else
            *known[code].flag = true;
    }
}

/* Number of a word in the list; without a word 0. */
static unsigned job_choice(const char *option, const char *word, const char *const list[])
{
    for (unsigned i = 0; list[i]; i++)
        if (!word || !strcmp(word, list[i]))
            return i;
    job_die(option, "no such word");
}

static unsigned or_default(unsigned n, unsigned otherwise)
{
    return n ? n : otherwise;
}

static enum proact_status job_graph(struct app_job *job, const struct job_words *w,
                                    struct proact_error *err)
{
    static const char *const weights[] = {"file", "hash", "unit", NULL};
    static const char *const kernels[] = {"default", "paper", NULL};
    const unsigned kind = job_choice("weights", w->weights, weights);
    const unsigned kernel = job_choice("kernel", w->kernel, kernels);
    const bool is_sssp = job->app == APP_SSSP;
    static const char *const types[] = {"f64", "f32", NULL};
    static const char *const lengths[] = {"int32", "f32", NULL};
    const unsigned type = job_choice("type", w->type, is_sssp ? lengths : types);
    const enum matrix_values values = !is_sssp || kind   ? MATRIX_NO_VALUES
                                      : type == SSSP_F32 ? MATRIX_F32_VALUES
                                                         : MATRIX_INT32_VALUES;
    enum proact_status status = graph_read(job->file, values, &job->graph, err);

    if (status)
        return status;
    if (is_sssp)
        sssp_set_weights(&job->graph, (enum sssp_weights)kind);
    job->pagerank =
        (struct pagerank_options){.type = (enum pagerank_type)type,
                                  .kernel = (enum pagerank_kernel)kernel,
                                  .tolerance = -1,
                                  .iterations_max = or_default(w->iterations, 64)};
    job->sssp = (struct sssp_options){.type = (enum sssp_type)type,
                                      .kernel = kernel ? SSSP_PAPER : SSSP_ROUNDS,
                                      .source = w->source ? w->source - 1 : 0,
                                      .rounds_max = w->iterations};
    return PROACT_OK;
}

static enum proact_status job_band(struct app_job *job, const struct job_words *w,
                                   struct proact_error *err)
{
    static const char *const types[] = {"f64", "f32", NULL};
    const struct band_shape shape = {.rows = or_default(w->rows, 1 << 22),
                                     .half_width = or_default(w->half_width, 128),
                                     .dominance = 1.1};

    job->band_options =
        (struct band_options){.type = (enum band_type)job_choice("type", w->type, types),
                              .tolerance = -1,
                              .iterations_max = or_default(w->iterations, 64)};
    return job->file ? band_read(job->file, &job->band, err)
                     : band_generate(&shape, &job->band, err);
}

static enum proact_status job_als(struct app_job *job, const struct job_words *w,
                                  struct proact_error *err)
{
    static const char *const types[] = {"f64", "f32", NULL};
    static const char *const updates[] = {"als", "gradient", NULL};
    static const char *const kernels[] = {"default", "paper", NULL};
    const struct als_options given = {
        .update = (enum als_update)job_choice("update", w->update, updates),
        .rank = or_default(w->rank, 16),
        .sweeps_max = or_default(w->iterations, 10),
        .report_sweeps = or_default(w->iterations, 10),
        .tolerance = -1,
        .is_single = job_choice("type", w->type, types) == 1,
        .is_paper_kernel = job_choice("kernel", w->kernel, kernels) == 1,
        .ignores_errors = true};
    struct ratings ratings = {0};
    enum proact_status status = ratings_read(job->file, &ratings, err);

    if (!status)
        status = rating_set_create(job->file, &ratings, &job->ratings, err);
    ratings_clear(&ratings);
    return status ? status : als_defaults(&job->ratings, &given, &job->als, err);
}

static enum proact_status job_ct(struct app_job *job, const struct job_words *w,
                                 struct proact_error *err)
{
    static const char *const types[] = {"f64", "f32", NULL};
    const struct ct_geometry g = ct_geometry_make(
        CT_PARALLEL, or_default(w->size, 512), or_default(w->views, 984), w->channels, 240);
    enum proact_status status = ct_geometry_check(&g, err);

    job->ct = (struct ct_options){.subsets = or_default(w->subsets, 24),
                                  .iterations = or_default(w->iterations, 5),
                                  .start_zero = true,
                                  .single = job_choice("type", w->type, types) == 1};
    return status ? status
                  : ct_scan_phantom(&g, or_default(w->slices, 1), 1e5, 1, &job->scan, err);
}

void app_job_open(int argc, char **argv, struct app_job *out)
{
    struct job_words words = {0};
    struct app_job job = {.app = APPS};
    struct proact_error err = {""};
    enum proact_status status = PROACT_OK;

    job_parse(argc, argv, &words);
    for (unsigned i = 0; optind < argc && i < APPS; i++)
        if (!strcmp(argv[optind], names[i]))
            job.app = (enum app_name)i;
    if (job.app == APPS || argc - optind > 2)
        job_usage(argv[0]);
    job.name = names[job.app];
    job.file = argc - optind == 2 ? argv[optind + 1] : NULL;
    job.devices = words.devices;
    job.shares = words.shares;
    job.no_graph = words.no_graph;
    job.one_device_ns = words.one_device_ns;
    job.runs = or_default(words.runs, 5);
    if (!job.file && (job.app <= APP_SSSP || job.app == APP_ALS))
        job_die(job.name, "a file with the input is needed");
    if (job.app <= APP_SSSP)
        status = job_graph(&job, &words, &err);
    else if (job.app == APP_JACOBI)
        job.jacobi =
            (struct jacobi_options){.size = or_default(words.size, 8192),
                                    .iterations_max = or_default(words.iterations, 64),
                                    .tolerance = -1};
    else
        status = (job.app == APP_BAND  ? job_band
                  : job.app == APP_ALS ? job_als
                                       : job_ct)(&job, &words, &err);
    if (status)
        job_die(job.name, err.text);
    *out = job;
}

void app_job_close(struct app_job *job)
{
    if (job->app <= APP_SSSP)
        graph_clear(&job->graph);
    if (job->app == APP_BAND)
        band_system_clear(&job->band);
    if (job->app == APP_ALS)
        rating_set_clear(&job->ratings);
    if (job->app == APP_CT)
        ct_scan_clear(&job->scan);
}

static enum proact_status job_run_als(const struct app_job *job, struct proact *p,
                                      struct app_answer *out, struct proact_error *err)
{
    struct als_result r = {0};
    enum proact_status status = als_run(p, &job->ratings, &job->als, &r, err);
    const size_t users = (size_t)r.user_count * r.rank * r.element_bytes,
                 items = (size_t)r.item_count * r.rank * r.element_bytes;

    if (status)
        return status;
    *out = (struct app_answer){malloc(users + items), users + items, r.sweeps, r.time_ns};
    if (!out->bytes)
        job_die("als", "no memory for the answer");
    memcpy(out->bytes, r.users, users);
    memcpy((char *)out->bytes + users, r.items, items);
    als_clear(&r);
    return status;
}

static enum proact_status job_run_graph(const struct app_job *job, struct proact *p,
                                        struct app_answer *out, struct proact_error *err)
{
    const size_t vertices = job->graph.vertex_count;
    enum proact_status status;

    if (job->app == APP_PAGERANK) {
        struct pagerank_result r = {0};

        status = pagerank_run(p, &job->graph, &job->pagerank, &r, err);
        *out = (struct app_answer){r.ranks, vertices * sizeof *r.ranks, r.iterations,
                                   r.time_ns};
        free(r.schedule.launches);
        return status;
    }
    struct sssp_result r = {0};

    status = sssp_run(p, &job->graph, &job->sssp, &r, err);
    *out =
        (struct app_answer){r.distance.any, vertices * sizeof(float), r.rounds, r.time_ns};
    free(r.schedule.launches);
    return status;
}

static enum proact_status job_run_grid(const struct app_job *job, struct proact *p,
                                       struct app_answer *out, struct proact_error *err)
{
    struct jacobi_result r = {0};
    enum proact_status status = jacobi_run(p, &job->jacobi, &r, err);

    *out = (struct app_answer){r.cells, (size_t)r.size * r.size * sizeof *r.cells,
                               r.iterations, r.time_ns};
    free(r.schedule.launches);
    return status;
}

static enum proact_status job_run_band(const struct app_job *job, struct proact *p,
                                       struct app_answer *out, struct proact_error *err)
{
    struct band_result r = {0};
    enum proact_status status = band_run(p, &job->band, &job->band_options, &r, err);
    const size_t bytes = r.type == BAND_F32 ? sizeof(float) : sizeof(double);

    *out = (struct app_answer){r.x.any, job->band.rows * bytes, r.iterations, r.time_ns};
    free(r.schedule.launches);
    return status;
}

static enum proact_status job_run_ct(const struct app_job *job, struct proact *p,
                                     struct app_answer *out, struct proact_error *err)
{
    struct ct_result r = {0};
    enum proact_status status = ct_run(p, &job->scan, &job->ct, &r, err);

    *out = (struct app_answer){r.image, r.pixels * sizeof *r.image, r.state.iteration,
                               r.time_ns};
    return status;
}

enum proact_status app_job_run(const struct app_job *job, struct proact *p,
                               struct app_answer *out, struct proact_error *err)
{
    static enum proact_status (*const runs[APPS])(const struct app_job *, struct proact *,
                                                  struct app_answer *,
                                                  struct proact_error *) = {
        [APP_PAGERANK] = job_run_graph, [APP_SSSP] = job_run_graph,
        [APP_JACOBI] = job_run_grid,    [APP_BAND] = job_run_band,
        [APP_ALS] = job_run_als,        [APP_CT] = job_run_ct};

    return runs[job->app](job, p, out, err);
}
