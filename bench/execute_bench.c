/* SPDX-License-Identifier: Apache-2.0 */
/* Speed of the interpreter: lane instructions per second of processor time, on one thread
   and on two. Each PTX instruction counts once per active lane. The result is the median of
   the runs. Usage: execute_bench [compiler [runs [kernel]]]; compilers are those of
   tests/ptx/corpus. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "base/text.h"
#include "execute/execute.h"

enum { THREADS_MAX = 2, RUNS_MAX = 99 };

struct job {
    const char *family, *kernel;
    uint32_t grid[3], block[3];
    size_t words[3]; /* of its arrays, which are its first parameters */
    uint32_t numbers[4], number_count;
};

static const struct job jobs[] = {
    {"vecadd",
     "vecadd",
     {16384, 1, 1},
     {256, 1, 1},
     {1 << 22, 1 << 22, 1 << 22},
     {1 << 22},
     1},
    {"stencil", "jacobi", {63, 63, 1}, {16, 16, 1}, {1000000, 1000000, 0}, {1000, 1000}, 2},
    {"stencil",
     "jacobi_plain",
     {63, 63, 1},
     {16, 16, 1},
     {1000000, 1000000, 0},
     {1000, 1000},
     2},
    {"matmul",
     "sgemm",
     {16, 16, 1},
     {16, 16, 1},
     {65536, 65536, 65536},
     {256, 256, 256},
     3},
};

struct bench {
    struct execute_grid *grid;
    const struct job *job;
    unsigned thread, threads;
    uint64_t lanes;
    double seconds; /* of processor time */
};

static enum execute_verdict go(void *context, struct execute_warp *w,
                               const struct execute_access *a)
{
    (void)context, (void)w, (void)a;
    return EXECUTE_GO;
}

/* Processor time of this thread, which is independent of other load. */
static double processor_time(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void *run_part(void *argument)
{
    struct bench *b = argument;
    const uint32_t *n = b->job->grid;
    uint64_t count = (uint64_t)n[0] * n[1] * n[2];
    struct execute_pool *pool = execute_pool_create();
    double start = processor_time();

    for (uint64_t i = count * b->thread / b->threads;
         i < count * (b->thread + 1) / b->threads; i++) {
        uint32_t id[3] = {(uint32_t)(i % n[0]), (uint32_t)(i / n[0] % n[1]),
                          (uint32_t)(i / n[0] / n[1])};
        struct execute_cta *c = execute_cta_create(b->grid, pool, id, 0);

        if (execute_cta_run(c, UINT64_MAX / 2, i) != EXECUTE_EXITED)
            fprintf(stderr, "%s\n", c->fault);
        b->lanes += c->lanes;
        execute_cta_destroy(c);
    }
    execute_pool_destroy(pool);
    b->seconds = processor_time() - start;
    return NULL;
}

/* 1e9 lane instructions per second of processor time, over all threads. */
static double run_once(const struct execute_launch *launch, const struct job *job,
                       unsigned threads)
{
    struct bench parts[THREADS_MAX];
    pthread_t ids[THREADS_MAX];
    double speed = 0;
    struct execute_grid *grid = execute_grid_create(launch);

    for (unsigned t = 0; t < threads; t++) {
        parts[t] = (struct bench){grid, job, t, threads, 0, 0};
        if (pthread_create(&ids[t], NULL, run_part, &parts[t]))
            abort();
    }
    for (unsigned t = 0; t < threads; t++) {
        pthread_join(ids[t], NULL);
        speed += (double)parts[t].lanes / parts[t].seconds * 1e-9;
    }
    execute_grid_destroy(grid);
    return speed;
}

static int ascending(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static struct execute_program *load(const char *family, const char *compiler,
                                    struct ptx_module **module)
{
    struct execute_program *program = NULL;
    struct proact_error err = {""};
    char path[512], *text;
    size_t bytes;

    snprintf(path, sizeof path, PROACT_SOURCE "/tests/ptx/corpus/%s.%s.ptx", family,
             compiler);
    if (file_read(path, &text, &bytes, &err) ||
        ptx_parse(path, text, bytes, module, &err) ||
        execute_program_create(*module, &program, &err)) {
        fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
    free(text);
    return program;
}

static void measure(const struct job *job, const char *compiler, unsigned runs)
{
    struct ptx_module *module;
    struct execute_program *program = load(job->family, compiler, &module);
    const struct execute_host host = {.access = go};
    unsigned char parameters[64] = {0};
    float *arrays[3] = {NULL};
    size_t at = 0;

    for (int n = 0; n < 3 && job->words[n]; n++, at += 8) {
        arrays[n] = must_calloc(job->words[n], 4);
        for (size_t k = 0; k < job->words[n]; k++)
            arrays[n][k] = (float)(k % 97);
        memcpy(parameters + at, &arrays[n], 8);
    }
    memcpy(parameters + at, job->numbers, job->number_count * 4);
    struct execute_launch launch = {.kernel = execute_kernel_find(program, job->kernel),
                                    .host = &host,
                                    .parameters = parameters,
                                    .sm_count = 1};

    memcpy(launch.grid, job->grid, sizeof launch.grid);
    memcpy(launch.block, job->block, sizeof launch.block);
    printf("%-14s", job->kernel);
    for (unsigned threads = 1; threads <= THREADS_MAX; threads++) {
        double speed[RUNS_MAX];

        for (unsigned n = 0; n < runs; n++)
            speed[n] = run_once(&launch, job, threads);
        qsort(speed, runs, sizeof *speed, ascending);
        printf("  %u thread%s %6.2f (%.2f-%.2f)", threads, threads > 1 ? "s" : " ",
               speed[runs / 2], speed[0], speed[runs - 1]);
    }
    printf("\n");
    for (int n = 0; n < 3; n++)
        free(arrays[n]);
    execute_program_destroy(program);
    ptx_destroy(module);
}

int main(int argc, char **argv)
{
    const char *compiler = argc > 1 ? argv[1] : "sm_90";
    unsigned runs = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 7;

    if (runs < 1 || runs > RUNS_MAX) {
        fprintf(stderr, "execute_bench: %u runs; 1 to %d are possible\n", runs, RUNS_MAX);
        return 2;
    }
    printf("G lane instructions a second (%s), median of %u runs (lowest-highest)\n",
           compiler, runs);
    for (size_t n = 0; n < sizeof jobs / sizeof jobs[0]; n++)
        if (argc < 4 || strcmp(argv[3], jobs[n].kernel) == 0)
            measure(&jobs[n], compiler, runs);
    return 0;
}
