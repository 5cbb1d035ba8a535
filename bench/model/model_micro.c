/* SPDX-License-Identifier: Apache-2.0 */
/* Error of the predicted times of the microbenchmark on an emulated machine or the local
   GPUs, by pattern and method, and the loss of the model's first candidates against the
   fastest measured one.

       model_micro MACHINE BYTES [sleep [PATTERN]]   BYTES: of the array */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "bench.h"
#include "model/predict.h"
#include "runtime/session/runtime_machine.h"

enum { MICRO_CTA = 4096, FIRST_ROWS = 3 };

struct micro_errors {
    char name[64]; /* pattern and method */
    double *error;
    size_t count, capacity;
};

struct micro_check {
    struct topology t;
    bool sleeps;
    uint64_t bytes;
    struct micro_errors *groups;
    size_t count, capacity;
};

/* The initiator of a row; MODEL_SENDERS: the model has none. */
static enum model_sender row_sender(const struct bench_row *row)
{
    if (row->note[0])
        return MODEL_SEND_BULK_STORE;
    for (int who = 0; who < MODEL_SENDERS; who++)
        if (who != MODEL_SEND_BULK_STORE &&
            strcmp(model_method_name((enum model_sender)who), row->method) == 0)
            return (enum model_sender)who;
    return MODEL_SENDERS;
}

static double predicted_ns(const struct micro_check *c, const struct bench_row *row)
{
    const unsigned senders =
        strcmp(row->pattern, "all-to-all") == 0 ? c->t.device_count : 1;
    const struct model_problem p = {.senders = senders,
                                    .bytes = c->bytes / senders,
                                    .ctas = c->bytes / senders / MICRO_CTA,
                                    .in_waves = c->sleeps,
                                    .kernel_ns = row->skipped_ns};
    const struct model_plan plan = {.who = row_sender(row),
                                    .chunks = {row->chunk_bytes, 0},
                                    .threads = (unsigned)row->threads};
    const struct model_candidate candidate = model_candidate_of(&c->t, &p, &plan);

    return model_candidate_time(&candidate).ns;
}

static void micro_note(struct micro_check *c, const struct bench_row *row, double error)
{
    char name[64];
    size_t at = 0;

    snprintf(name, sizeof name, "%-10s  %s%s", row->pattern, row->method,
             row->note[0] ? ", bulk stores" : "");
    while (at < c->count && strcmp(c->groups[at].name, name) != 0)
        at++;
    if (at == c->count) {
        c->groups = must_grow(c->groups, c->count, &c->capacity, sizeof *c->groups);
        c->groups[c->count++] = (struct micro_errors){.error = NULL};
        memcpy(c->groups[at].name, name, sizeof name);
    }
    struct micro_errors *g = &c->groups[at];

    g->error = must_grow(g->error, g->count, &g->capacity, sizeof *g->error);
    g->error[g->count++] = error;
}

static int compare_micro_errors(const void *a, const void *b)
{
    const double x = *(const double *)a, *y = b;

    return (x > *y) - (x < *y);
}

static void print_groups(struct micro_check *c)
{
    printf("\n%-32s %5s %9s %9s\n", "pattern and method", "rows", "median", "p95");
    for (size_t i = 0; i < c->count; i++) {
        struct micro_errors *g = &c->groups[i];

        qsort(g->error, g->count, sizeof *g->error, compare_micro_errors);
        printf("%-32s %5zu %7.1f %% %7.1f %%\n", g->name, g->count,
               100 * g->error[g->count / 2],
               100 * g->error[(size_t)((double)(g->count - 1) * 0.95 + 0.5)]);
        free(g->error);
    }
    free(c->groups);
}

static bool is_equal_case(const struct bench_row *a, const struct bench_row *b)
{
    return strcmp(a->pattern, b->pattern) == 0 && fabs(a->ratio - b->ratio) < 1e-9;
}

/* A choice on GPUs, with the default agent. */
static bool row_is_choice(const struct bench_row *row)
{
    const enum model_sender who = row_sender(row);

    return who < MODEL_SENDERS && who != MODEL_SEND_UNIT && !row->threads;
}

/* Prints the fastest row of a case, and what the model's first rows lose against it. */
static void print_case(const struct micro_check *c, const struct bench_report *r,
                       size_t first)
{
    const struct bench_row *best = NULL;
    double taken[FIRST_ROWS] = {0}, limit = -1, lost = INFINITY;

    for (size_t i = first; i < r->count; i++)
        if (row_is_choice(&r->rows[i]) && is_equal_case(&r->rows[i], &r->rows[first]) &&
            (!best || r->rows[i].took_ns < best->took_ns))
            best = &r->rows[i];
    for (int n = 0; n < FIRST_ROWS && best; n++) {
        double least = INFINITY;

        for (size_t i = first; i < r->count; i++) {
            if (!row_is_choice(&r->rows[i]) || !is_equal_case(&r->rows[i], &r->rows[first]))
                continue;
            const double ns = predicted_ns(c, &r->rows[i]);

            if (ns > limit && ns < least) {
                least = ns;
                taken[n] = r->rows[i].took_ns;
            }
        }
        limit = least;
        lost = fmin(lost, taken[n] / best->took_ns - 1);
    }
    if (best)
        printf("%-10s  %4g  fastest %s %llu KB, first loses %.1f %%, best of %d %.1f %%\n",
               best->pattern, best->ratio, best->method,
               (unsigned long long)best->chunk_bytes >> 10,
               100 * (taken[0] / best->took_ns - 1), FIRST_ROWS, 100 * lost);
}

int main(int argc, char **argv)
{
    struct micro_check *c = must_calloc(1, sizeof *c);
    struct bench_report r = {.bench = "micro"};
    const struct device_backend *backend;
    struct proact_error err = {""};

    if (argc < 3 || runtime_machine(argv[1], &c->t, &backend, &err)) {
        fprintf(stderr, "%s\n",
                argc < 3 ? "model_micro MACHINE BYTES [sleep [PATTERN]]" : err.text);
        return 2;
    }
    c->bytes = strtoull(argv[2], NULL, 10);
    c->sleeps = argc > 3 && strcmp(argv[3], "sleep") == 0;
    const struct bench_request q = {.machine = argv[1],
                                    .pattern = argc > 4 ? argv[4] : NULL,
                                    .bytes = c->bytes,
                                    .sleeps = c->sleeps};

    bench_micro(&q, &r);
    for (size_t i = 0; i < r.count; i++)
        if (row_sender(&r.rows[i]) < MODEL_SENDERS)
            micro_note(c, &r.rows[i],
                       fabs(predicted_ns(c, &r.rows[i]) / r.rows[i].took_ns - 1));
    print_groups(c);
    printf("\n");
    for (size_t i = 0; i < r.count; i++)
        if (!i || !is_equal_case(&r.rows[i], &r.rows[i - 1]))
            print_case(c, &r, i);
    bench_clear(&r);
    free(c);
    return 0;
}
