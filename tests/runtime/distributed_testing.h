/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Fixture: a session with the kernels of distributed_kernels.cu and arrays of N words. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <proact/program.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 40000, THREADS = 64, CTAS = (N + THREADS - 1) / THREADS, BINS = 64 };

#define NARROW PROACT_SOURCE "/tests/protocol/narrow.json"

static const char *machine = "h200x4";

struct fixture {
    struct proact *p;
    struct proact_error err;
    uint32_t *in, *got, *expected; /* N words each */
};

static inline void must(struct fixture *f, enum proact_status status)
{
    if (status)
        fail_msg("%s", f->err.text);
}

static inline void refused(struct fixture *f, enum proact_status status,
                           enum proact_status expected, const char *part)
{
    assert_int_equal(status, expected);
    if (!strstr(f->err.text, part))
        fail_msg("'%s' has no '%s'", f->err.text, part);
}

/* Whether the machine has the method. Emulated devices alone have `hardware`. On a driver,
   `dynamic` needs CUDA's device runtime, which only a build with nvcc contains. */
static inline bool has_method(const char *method)
{
    struct proact_error err = {""};
    struct proact *p = NULL;
    bool has = strcmp(machine, "local") != 0;

    if (has || !strcmp(method, "hardware"))
        return has;
    has = proact_open(
              &(struct proact_options){.machine = machine, .plan = {.method = method}}, &p,
              &err) == PROACT_OK ||
          !strstr(err.text, "libcudadevrt.a");
    proact_close(p);
    if (!has)
        print_message("%s\n", err.text);
    return has;
}

static inline struct fixture *begin_on(const char *on, const char *method, unsigned devices,
                                       uint64_t seed)
{
    struct fixture *f = calloc(1, sizeof *f);

    assert_non_null(f);
    f->in = calloc(3 * N, sizeof *f->in);
    assert_non_null(f->in);
    f->got = f->in + N;
    f->expected = f->got + N;
    must(f, proact_open(
                &(struct proact_options){.machine = on,
                                         .device_count = devices,
                                         .seed = seed,
                                         .check = strcmp(on, "local") != 0,
                                         .plan = {.method = method, .chunk_bytes = 4096}},
                &f->p, &f->err));
    for (uint32_t i = 0; i < N; i++)
        f->in[i] = i * 2654435761u >> 7;
    return f;
}

static inline struct fixture *begin(const char *method, unsigned devices)
{
    return begin_on(machine, method, devices, 1);
}

static inline void end(struct fixture *f)
{
    proact_close(f->p);
    free(f->in);
    free(f);
}

static inline struct proact_array *replicated(struct fixture *f, const char *name)
{
    struct proact_array *a = NULL;

    must(f, proact_array_create(f->p, &(struct proact_shape){name, N, 4}, &a, &f->err));
    must(f, proact_array_write(a, 0, f->in, N, &f->err));
    return a;
}

/* A distributed array filled with zeros. */
static inline struct proact_array *distributed(struct fixture *f, const char *name)
{
    struct proact_array *a = NULL;
    uint32_t *zero = calloc(N, sizeof *zero);

    must(f, proact_array_create_distributed(f->p, &(struct proact_shape){name, N, 4}, &a,
                                            &f->err));
    must(f, proact_array_write(a, 0, zero, N, &f->err));
    free(zero);
    return a;
}

static inline struct proact_kernel *kernel(struct fixture *f, const char *name)
{
    FILE *file = fopen(PROACT_BINARY "/tests/runtime/distributed.ptx", "r");
    char *text = calloc(1, 1 << 20);
    struct proact_kernel *k = NULL;

    assert_non_null(file);
    assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
    fclose(file);
    must(f, proact_kernel_load(
                f->p, &(struct proact_image){.name = "distributed.ptx", .text = text}, name,
                &k, &f->err));
    free(text);
    return k;
}

enum { WHOLE = 1, SPLIT = 0 };

/* Launches with the given arrays, followed by the value N. */
static inline enum proact_status try(struct fixture *f, struct proact_kernel *k,
                                     unsigned over, struct proact_array *const *arrays,
                                     size_t count)
{
    struct proact_arg args[5];
    const uint32_t n = N;

    for (size_t i = 0; i < count; i++)
        args[i] = PROACT_ARRAY(arrays[i]);
    args[count] = PROACT_VALUE(n);
    return proact_launch(
        k,
        &(struct proact_grid){.ctas = {CTAS}, .threads = {THREADS}, .device_count = over},
        args, count + 1, &f->err);
}
#define LAUNCH(f, k, over, ...)                                                            \
    must(f, try(f, k, over, (struct proact_array *[]){__VA_ARGS__},                        \
                sizeof((struct proact_array *[]){__VA_ARGS__}) / sizeof(void *)))

static inline void is_split(struct proact_kernel *k)
{
    if (proact_kernel_refusal(k))
        fail_msg("%s", proact_kernel_refusal(k));
}

static inline void is_whole(struct proact_kernel *k, const char *part)
{
    if (!proact_kernel_refusal(k) || !strstr(proact_kernel_refusal(k), part))
        fail_msg("'%s' has no '%s'",
                 proact_kernel_refusal(k) ? proact_kernel_refusal(k) : "(split)", part);
}

struct noted {
    unsigned kernels[PROACT_DEVICES_MAX];
};

static inline void count_launch(void *context, const struct proact_trace_span *span)
{
    struct noted *s = context;

    s->kernels[span->device] += span->kind == PROACT_TRACE_KERNEL;
}

/* Every device reads `want`. */
static inline void holds(struct fixture *f, struct proact_array *a,
                         const uint32_t *expected)
{
    for (unsigned d = 0; d < proact_device_count(f->p); d++) {
        must(f, proact_array_read_replica(a, d, 0, f->got, N, &f->err));
        for (uint32_t i = 0; i < N; i++)
            if (f->got[i] != expected[i])
                fail_msg("device %u: element %u is %u, not %u", d, i, f->got[i],
                         expected[i]);
    }
}

/* Makes in[] a permutation of the indices. */
static inline void shuffle(struct fixture *f)
{
    for (uint32_t i = 0; i < N; i++)
        f->in[i] = (uint32_t)((uint64_t)i * 7919 % N);
}

static inline bool has_devices(void)
{
    struct proact *p = NULL;
    const bool has = !proact_open(&(struct proact_options){.machine = machine}, &p, NULL) &&
                     proact_device_count(p) > 1;

    proact_close(p);
    return has;
}
