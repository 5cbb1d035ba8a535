/* SPDX-License-Identifier: Apache-2.0 */
/* Processor time of access_analyze() in milliseconds, for every kernel of the files: median
   of the runs, in descending order. Usage: analyze_bench RUNS FILE.ptx... with files such
   as those of tests/ptx/corpus. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "access/access.h"
#include "base/memory.h"
#include "base/text.h"

enum { RUNS_MAX = 99, SHOWN = 10 };

struct timing {
    char kernel[96];
    double ms; /* median */
};

struct timings {
    struct timing *at;
    size_t count, room;
};

static double now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static int ascending(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static int slowest_first(const void *a, const void *b)
{
    const struct timing *x = a, *y = b;

    return (x->ms < y->ms) - (x->ms > y->ms);
}

static double median_ms(const struct ptx_module *m, const struct ptx_function *f,
                        unsigned runs)
{
    double ms[RUNS_MAX];

    for (unsigned i = 0; i < runs; i++) {
        double start = now_ms();

        access_destroy(access_analyze(m, f));
        ms[i] = now_ms() - start;
    }
    qsort(ms, runs, sizeof *ms, ascending);
    return ms[runs / 2];
}

static void measure_file(const char *path, unsigned runs, struct timings *all)
{
    struct proact_error err = {""};
    struct ptx_module *m;
    char *text;
    size_t bytes;

    if (file_read(path, &text, &bytes, &err) || ptx_parse(path, text, bytes, &m, &err)) {
        fprintf(stderr, "analyze_bench: %s\n", err.text);
        exit(1);
    }
    free(text);
    for (uint32_t i = 0; i < m->function_count; i++) {
        struct timing *t;

        if (!m->functions[i].is_entry)
            continue;
        all->at = must_grow(all->at, all->count, &all->room, sizeof *all->at);
        t = &all->at[all->count++];
        snprintf(t->kernel, sizeof t->kernel, "%.40s sm_%u", m->functions[i].name,
                 m->target_sm);
        t->ms = median_ms(m, &m->functions[i], runs);
    }
    ptx_destroy(m);
}

int main(int argc, char **argv)
{
    unsigned runs = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 0;
    struct timings all = {0};

    if (runs < 1 || runs > RUNS_MAX || argc < 3) {
        fprintf(stderr, "usage: analyze_bench RUNS FILE.ptx...; 1 to %d runs\n", RUNS_MAX);
        return 2;
    }
    for (int i = 2; i < argc; i++)
        measure_file(argv[i], runs, &all);
    if (!all.count) {
        printf("no kernel\n");
        return 0;
    }
    qsort(all.at, all.count, sizeof *all.at, slowest_first);
    printf("%zu kernels: median %.2f ms, slowest %.2f ms\n", all.count,
           all.at[all.count / 2].ms, all.at[0].ms);
    for (size_t i = 0; i < all.count && i < SHOWN; i++)
        printf("%8.2f ms  %s\n", all.at[i].ms, all.at[i].kernel);
    free(all.at);
    return 0;
}
