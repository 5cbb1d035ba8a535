/* SPDX-License-Identifier: Apache-2.0 */
/* What the emulated device adds to executing a kernel: lane instructions a second through
   the device contract, per second of processor time, and the machine's virtual time.
   Usage: device_bench [compiler [runs [devices [threads [kernel]]]]]; with more than one
   device each runs a share of the grid (its own copy of the arrays); seconds are the
   world's. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "base/text.h"
#include "device/device.h"
#include "execute/execute.h"

enum { RUNS_MAX = 99, DEVICES = TOPOLOGY_DEVICES_MAX };

struct job {
    const char *family, *kernel;
    uint32_t grid[3], block[3];
    size_t words[3]; /* of its arrays, which come first among the parameters */
    uint32_t numbers[4], number_count;
};

static const struct job jobs[] = {
    {.family = "vecadd",
     .kernel = "vecadd",
     .grid = {16384, 1, 1},
     .block = {256, 1, 1},
     .words = {1 << 22, 1 << 22, 1 << 22},
     .numbers = {1 << 22},
     .number_count = 1},
    {.family = "stencil",
     .kernel = "jacobi",
     .grid = {63, 63, 1},
     .block = {16, 16, 1},
     .words = {1000000, 1000000},
     .numbers = {1000, 1000},
     .number_count = 2},
    {.family = "matmul",
     .kernel = "sgemm",
     .grid = {16, 16, 1},
     .block = {16, 16, 1},
     .words = {65536, 65536, 65536},
     .numbers = {256, 256, 256},
     .number_count = 3},
};

struct bench {
    const struct device_backend *b;
    struct topology topology;
    struct device_set *set;
    struct device_stream *stream[DEVICES];
    struct device_function *function[DEVICES];
    unsigned char parameters[DEVICES][64];
    size_t parameter_bytes;
    struct proact_error err;
};

static void must(struct bench *b, enum proact_status status)
{
    if (!status)
        return;
    fprintf(stderr, "device_bench: %s\n", b->err.text);
    exit(1);
}

static double seconds(clockid_t which)
{
    struct timespec t;

    clock_gettime(which, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static enum execute_verdict go(void *context, struct execute_warp *w,
                               const struct execute_access *a)
{
    (void)context, (void)w, (void)a;
    return EXECUTE_GO;
}

/* Lane instructions of the whole grid, executed without a device. */
static double count_lanes(struct bench *b, const struct job *job, const char *text,
                          size_t bytes)
{
    const struct execute_host host = {.access = go};
    struct execute_program *program = NULL;
    struct ptx_module *module = NULL;
    const uint32_t *n = job->grid;
    double lanes = 0;

    must(b, ptx_parse(job->kernel, text, bytes, &module, &b->err));
    must(b, execute_program_create(module, &program, &b->err));
    struct execute_launch launch = {.kernel = execute_kernel_find(program, job->kernel),
                                    .host = &host,
                                    .grid = {n[0], n[1], n[2]},
                                    .block = {job->block[0], job->block[1], job->block[2]},
                                    .parameters = b->parameters[0],
                                    .sm_count = 1};
    struct execute_grid *grid = execute_grid_create(&launch);
    struct execute_pool *pool = execute_pool_create();

    for (uint32_t i = 0; i < n[0] * n[1] * n[2]; i++) {
        const uint32_t id[3] = {i % n[0], i / n[0] % n[1], i / n[0] / n[1]};
        struct execute_cta *c = execute_cta_create(grid, pool, id, 0);

        execute_cta_run(c, UINT64_MAX / 2, i);
        lanes += (double)c->lanes;
        execute_cta_destroy(c);
    }
    execute_grid_destroy(grid);
    execute_pool_destroy(pool);
    execute_program_destroy(program);
    ptx_destroy(module);
    return lanes;
}

static void prepare(struct bench *b, const struct job *job, unsigned d, const char *text,
                    size_t bytes)
{
    struct device_module *module;
    size_t at = 0;

    must(b, b->b->stream_create(b->set, d, &b->stream[d], &b->err));
    must(b, b->b->module_load(b->set, d, job->family, text, bytes, &module, &b->err));
    must(b, b->b->function(module, job->kernel, &b->function[d], &b->err));
    for (int n = 0; n < 3 && job->words[n]; n++, at += 8) {
        device_addr a;

        must(b, b->b->alloc(b->set, d, job->words[n] * 4, &a, &b->err));
        must(b, b->b->fill(b->stream[d], a, 1, job->words[n] * 4, &b->err));
        memcpy(b->parameters[d] + at, &a, 8);
    }
    memcpy(b->parameters[d] + at, job->numbers, job->number_count * 4);
    b->parameter_bytes = at + job->number_count * 4;
}

static void launch_share(struct bench *b, const struct job *job, unsigned d, unsigned of)
{
    struct device_launch l = {.parameters = b->parameters[d],
                              .parameter_bytes = b->parameter_bytes};
    int split = job->grid[1] > 1; /* by rows where there are some */

    memcpy(l.grid, job->grid, sizeof l.grid);
    memcpy(l.block, job->block, sizeof l.block);
    l.grid[split] = job->grid[split] / of;
    must(b, b->b->launch(b->stream[d], b->function[d], &l, &b->err));
}

static int ascending(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static void measure(const struct job *job, const char *compiler, unsigned runs,
                    unsigned devices, unsigned threads)
{
    struct bench b = {.b = &device_emulator};
    const struct device_options options = {.topology = &b.topology, .threads = threads};
    clockid_t which = threads > 1 ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID;
    double speed[RUNS_MAX];
    char path[512], *text;
    uint64_t virtual_ns = 0;
    size_t bytes;

    snprintf(path, sizeof path, PROACT_SOURCE "/tests/ptx/corpus/%s.%s.ptx", job->family,
             compiler);
    must(&b, file_read(path, &text, &bytes, &b.err));
    must(&b, topology_load("v100x16", &b.topology, &b.err));
    must(&b, topology_restrict(&b.topology, devices, &b.err));
    must(&b, b.b->open(&options, &b.set, &b.err));
    for (unsigned d = 0; d < devices; d++)
        prepare(&b, job, d, text, bytes);
    must(&b, b.b->synchronize(b.set, &b.err));
    double lanes = count_lanes(&b, job, text, bytes);

    for (unsigned n = 0; n < runs; n++) {
        uint64_t before_ns = b.b->now_ns(b.set);
        double start = seconds(which);

        for (unsigned d = 0; d < devices; d++)
            launch_share(&b, job, d, devices);
        must(&b, b.b->synchronize(b.set, &b.err));
        speed[n] = lanes / (seconds(which) - start) * 1e-9;
        virtual_ns = b.b->now_ns(b.set) - before_ns;
    }
    qsort(speed, runs, sizeof *speed, ascending);
    printf("%-10s %6.2f (%.2f-%.2f) G lane instructions a second, %.1f us virtual\n",
           job->kernel, speed[runs / 2], speed[0], speed[runs - 1],
           (double)virtual_ns * 1e-3);
    b.b->close(b.set);
    free(text);
}

static unsigned number(int argc, char **argv, int n, unsigned otherwise)
{
    return argc > n ? (unsigned)strtoul(argv[n], NULL, 10) : otherwise;
}

int main(int argc, char **argv)
{
    unsigned runs = number(argc, argv, 2, 7), devices = number(argc, argv, 3, 1);
    unsigned threads = number(argc, argv, 4, 1);

    if (runs < 1 || runs > RUNS_MAX || devices < 1 || devices > 16 || !threads) {
        fprintf(stderr, "usage: device_bench [compiler [runs (1 to %d) [devices (1 to 16) "
                        "[threads [kernel]]]]]\n",
                RUNS_MAX);
        return 2;
    }
    for (size_t n = 0; n < sizeof jobs / sizeof *jobs; n++)
        if (argc < 6 || !strcmp(argv[5], jobs[n].kernel))
            measure(&jobs[n], argc > 1 ? argv[1] : "sm_90", runs, devices, threads);
    return 0;
}
