/* SPDX-License-Identifier: Apache-2.0 */
/* Overhead of the emulated device over the execution of a kernel: lane instructions per
   second through the device contract, and the virtual time.

   Usage: device_bench [--json FILE] [compiler [runs [devices [threads [kernel]]]]]

   With several devices each one runs a partition of the grid on its own copy of the arrays.
   All start together, so that the host's time of a launch is excluded. Seconds are
   processor time with one device, and wall time with more. --json writes the measurements
   that docs/measuring.md shows. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <unistd.h>

#include "base/json/json_write.h"
#include "base/memory.h"
#include "base/text.h"
#include "device/device.h"
#include "execute/execute.h"

enum { RUNS_MAX = 99, DEVICES = TOPOLOGY_DEVICES_MAX };

struct job {
    const char *family, *kernel;
    uint32_t grid[3], block[3];
    size_t words[3]; /* of its arrays, which are its first parameters */
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

/* A configuration and its runs. */
struct setting {
    unsigned devices, threads;
    double speed[RUNS_MAX]; /* 1e9 lane instructions per second */
    double virtual_us;
};

struct bench {
    const struct device_backend *b;
    const struct job *job;
    struct topology topology;
    struct device_set *set;
    struct device_stream *stream[DEVICES], *gate[DEVICES];
    device_addr started[DEVICES]; /* the number of the run that may start */
    uint32_t run;
    double lanes;
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

/* Lane instructions of the grid, executed without a device. */
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

static void launch_partition(struct bench *b, unsigned d, unsigned of)
{
    struct device_launch l = {.parameters = b->parameters[d],
                              .parameter_bytes = b->parameter_bytes};
    int split = b->job->grid[1] > 1; /* by rows if there are several */

    memcpy(l.grid, b->job->grid, sizeof l.grid);
    memcpy(l.block, b->job->block, sizeof l.block);
    l.grid[split] = b->job->grid[split] / of;
    must(b, b->b->wait_value(b->stream[d], b->started[d], b->run, NULL, &b->err));
    must(b, b->b->launch(b->stream[d], b->function[d], &l, &b->err));
}

static void open_bench(struct bench *b, const struct job *job, const char *compiler,
                       const struct setting *s)
{
    const struct device_options options = {.topology = &b->topology, .threads = s->threads};
    char path[512], *text;
    size_t bytes;

    *b = (struct bench){.b = &device_emulator, .job = job};
    snprintf(path, sizeof path, PROACT_SOURCE "/tests/ptx/corpus/%s.%s.ptx", job->family,
             compiler);
    must(b, file_read(path, &text, &bytes, &b->err));
    must(b, topology_load("v100x16", &b->topology, &b->err));
    must(b, topology_restrict(&b->topology, s->devices, &b->err));
    must(b, b->b->open(&options, &b->set, &b->err));
    for (unsigned d = 0; d < s->devices; d++) {
        prepare(b, job, d, text, bytes);
        must(b, b->b->stream_create(b->set, d, &b->gate[d], &b->err));
        must(b, b->b->alloc(b->set, d, 4, &b->started[d], &b->err));
        must(b, b->b->fill(b->stream[d], b->started[d], 0, 4, &b->err));
    }
    must(b, b->b->synchronize(b->set, &b->err));
    b->lanes = count_lanes(b, job, text, bytes);
    free(text);
}

static void measure_run(struct bench *b, struct setting *s)
{
    clockid_t which = s->devices > 1 ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID;
    uint64_t before_ns = b->b->now_ns(b->set);
    double start = seconds(which);
    uint32_t n = b->run++;

    for (unsigned d = 0; d < s->devices; d++)
        launch_partition(b, d, s->devices);
    for (unsigned d = 0; d < s->devices; d++)
        must(b, b->b->write_value(b->gate[d], b->started[d], b->run, &b->err));
    must(b, b->b->synchronize(b->set, &b->err));
    s->speed[n] = b->lanes / (seconds(which) - start) * 1e-9;
    s->virtual_us = (double)(b->b->now_ns(b->set) - before_ns) * 1e-3;
}

static int ascending(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static void measure(const struct job *job, const char *compiler, unsigned runs,
                    struct setting *settings, unsigned count)
{
    struct bench *b = must_calloc(count, sizeof *b);

    for (unsigned i = 0; i < count; i++)
        open_bench(&b[i], job, compiler, &settings[i]);
    for (unsigned i = 0; i < count; i++)
        for (unsigned n = 0; n < runs; n++)
            measure_run(&b[i], &settings[i]);
    for (unsigned i = 0; i < count; i++) {
        struct setting *s = &settings[i];

        b[i].b->close(b[i].set);
        qsort(s->speed, runs, sizeof *s->speed, ascending);
        printf("%-7s %u devices %u threads %6.2f (%.2f-%.2f) G lane instructions a second, "
               "%.1f us virtual\n",
               job->kernel, s->devices, s->threads, s->speed[runs / 2], s->speed[0],
               s->speed[runs - 1], s->virtual_us);
    }
    free(b);
}

/* The text after `key` in the first line of a file or output that starts with it. */
static void first_line(FILE *from, const char *key, char *into, int bytes)
{
    snprintf(into, (size_t)bytes, "unknown");
    for (char line[512]; from && fgets(line, sizeof line, from);) {
        size_t length = strlen(key);

        if (strncmp(line, key, length) != 0)
            continue;
        line[strcspn(line, "\n")] = 0;
        snprintf(into, (size_t)bytes, "%s", line + length + strspn(line + length, "\t :"));
        return;
    }
}

static void put_origin(struct json_writer *w, int argc, char **argv)
{
    char commit[64], host[128], date[32] = "";
    const time_t now = time(NULL);
    struct tm day;
    struct text command = {0};
    FILE *git = popen("git -C " PROACT_SOURCE " describe --always --dirty", "r");
    FILE *cpu = fopen("/proc/cpuinfo", "r");

    first_line(git, "", commit, sizeof commit);
    first_line(cpu, "model name", host, sizeof host);
    if (git)
        pclose(git);
    if (cpu)
        fclose(cpu);
    text_print(&command, "device_bench");
    for (int i = 1; i < argc; i++)
        text_print(&command, " %s", argv[i]);
    if (gmtime_r(&now, &day))
        strftime(date, sizeof date, "%Y-%m-%d", &day);
    json_put_text(w, "command", command.data);
    json_put_text(w, "date", date);
    json_put_text(w, "commit", commit);
    json_put_text(w, "host", host);
    json_put_whole(w, "host_cores", (uint64_t)sysconf(_SC_NPROCESSORS_ONLN));
    json_put_text(w, "unit", "G lane instructions a second");
    text_clear(&command);
}

static void put_setting(struct json_writer *w, const char *kernel, const struct setting *s,
                        unsigned runs)
{
    json_begin(w, NULL, JSON_OBJECT);
    json_put_text(w, "kernel", kernel);
    json_put_whole(w, "devices", s->devices);
    json_put_whole(w, "threads", s->threads);
    json_put_text(w, "seconds", s->devices > 1 ? "world" : "processor");
    json_put_real(w, "median", s->speed[runs / 2]);
    json_put_real(w, "lowest", s->speed[0]);
    json_put_real(w, "highest", s->speed[runs - 1]);
    json_put_real(w, "virtual_us", s->virtual_us);
    json_end(w);
}

static void write_all(const char *path, const char *compiler, unsigned runs, int argc,
                      char **argv)
{
    static const struct setting all[] = {{.devices = 1, .threads = 1},
                                         {.devices = 4, .threads = 1},
                                         {.devices = 4, .threads = 2}};
    enum { COUNT = sizeof all / sizeof *all };
    struct json_writer w = {.lines = 2};
    struct proact_error err = {0};
    struct setting settings[COUNT];

    json_begin(&w, NULL, JSON_OBJECT);
    put_origin(&w, argc, argv);
    json_put_whole(&w, "runs", runs);
    json_begin(&w, "rows", JSON_ARRAY);
    for (size_t n = 0; n < sizeof jobs / sizeof *jobs; n++) {
        memcpy(settings, all, sizeof all);
        measure(&jobs[n], compiler, runs, settings, COUNT);
        for (unsigned i = 0; i < COUNT; i++)
            put_setting(&w, jobs[n].kernel, &settings[i], runs);
    }
    json_end(&w);
    json_end(&w);
    if (file_write(path, w.text.data, w.text.length, &err)) {
        fprintf(stderr, "device_bench: %s\n", err.text);
        exit(1);
    }
    text_clear(&w.text);
}

static unsigned number(int argc, char **argv, int n, unsigned otherwise)
{
    return argc > n ? (unsigned)strtoul(argv[n], NULL, 10) : otherwise;
}

int main(int argc, char **argv)
{
    int skip = argc > 2 && !strcmp(argv[1], "--json") ? 2 : 0;
    char **at = argv + skip;
    int left = argc - skip;
    unsigned runs = number(left, at, 2, 7);
    struct setting one = {.devices = number(left, at, 3, 1),
                          .threads = number(left, at, 4, 1)};
    const char *compiler = left > 1 ? at[1] : "sm_90";

    if (runs < 1 || runs > RUNS_MAX || one.devices < 1 || one.devices > 16 ||
        !one.threads) {
        fprintf(stderr,
                "usage: device_bench [--json FILE] [compiler [runs (1 to %d) [devices "
                "(1 to 16) [threads [kernel]]]]]\n",
                RUNS_MAX);
        return 2;
    }
    if (skip) {
        write_all(argv[2], compiler, runs, argc, argv);
        return 0;
    }
    for (size_t n = 0; n < sizeof jobs / sizeof *jobs; n++)
        if (left < 6 || !strcmp(at[5], jobs[n].kernel))
            measure(&jobs[n], compiler, runs, &one, 1);
    return 0;
}
