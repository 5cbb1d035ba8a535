/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Fixture for the runtime's tests: a session with one array and one kernel of
   runtime_kernels.cu. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <proact/proact.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 5000, THREADS = 64, CTAS = (N + THREADS - 1) / THREADS };

struct bench {
    struct proact *p;
    struct proact_array *out;
    struct proact_kernel *fill;
    struct proact_error err;
};

static inline char *testing_text(const char *path)
{
    FILE *f = fopen(path, "r");
    char *text = calloc(1, 1 << 20);

    assert_non_null(f);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 20) - 1, f) > 0);
    fclose(f);
    return text;
}

static inline char *testing_ptx(void)
{
    return testing_text(PROACT_BINARY "/tests/runtime/runtime_kernels.ptx");
}

static inline struct proact_kernel *testing_kernel_of(struct bench *b, char *text,
                                                      const char *name)
{
    struct proact_kernel *k = NULL;
    enum proact_status status = proact_kernel_load(
        b->p, &(struct proact_image){.name = "test.ptx", .text = text}, name, &k, &b->err);

    free(text);
    if (status)
        fail_msg("%s", b->err.text);
    return k;
}

static inline struct proact_kernel *testing_kernel(struct bench *b, const char *name)
{
    return testing_kernel_of(b, testing_ptx(), name);
}

static const struct proact_map testing_map = {.kind = PROACT_MAP_CONTIGUOUS,
                                              .range_bytes = THREADS * 4};

static inline struct proact_array *testing_array(struct bench *b, const char *name)
{
    struct proact_array *a = NULL;

    if (proact_array_create(b->p, &(struct proact_shape){name, N, 4}, &a, &b->err))
        fail_msg("%s", b->err.text);
    return a;
}

static inline struct bench testing_open(const struct proact_options *options)
{
    struct bench b = {0};

    if (proact_open(options, &b.p, &b.err))
        fail_msg("%s", b.err.text);
    b.out = testing_array(&b, "out");
    b.fill = testing_kernel(&b, "fill");
    if (proact_kernel_map(b.fill, 0, &testing_map, &b.err))
        fail_msg("%s", b.err.text);
    return b;
}

static inline enum proact_status testing_fill_over(struct bench *b, unsigned factor,
                                                   unsigned devices)
{
    unsigned n = N;

    return proact_launch(
        b->fill,
        &(struct proact_grid){
            .ctas = {CTAS}, .threads = {THREADS}, .device_count = devices},
        (struct proact_arg[]){PROACT_ARRAY(b->out), PROACT_VALUE(n), PROACT_VALUE(factor)},
        3, &b->err);
}

static inline enum proact_status testing_fill(struct bench *b, unsigned factor)
{
    return testing_fill_over(b, factor, 0);
}

/* Every replica contains factor * (i + 1). */
static inline void testing_holds(struct bench *b, struct proact_array *a, unsigned factor)
{
    uint32_t *is = calloc(N, sizeof *is);

    assert_non_null(is);
    for (unsigned d = 0; d < proact_device_count(b->p); d++) {
        if (proact_array_read_replica(a, d, 0, is, N, &b->err))
            fail_msg("%s", b->err.text);
        for (unsigned i = 0; i < N; i++)
            if (is[i] != factor * (i + 1))
                fail_msg("device %u: element %u is %u", d, i, is[i]);
    }
    free(is);
}

/* The call failed with this status and a message that contains `part`. */
#define REFUSED(call, status, part)                                                        \
    do {                                                                                   \
        assert_int_equal(call, status);                                                    \
        if (!strstr(b.err.text, part))                                                     \
            fail_msg("'%s' has no '%s'", b.err.text, part);                                \
    } while (0)
