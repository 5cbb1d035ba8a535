/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Runs sample kernels on one device and compares their results with plain C. Except for
   ranks, values are small integers, so that sums are exact in any order. */
#include <math.h>

#include "execute_testing.h"

static const char *const compilers[] = {"sm_75", "sm_90", "sm_100", "clang"};

enum { ARRAYS_MAX = 8 };

struct job {
    unsigned char parameters[96];
    size_t bytes;
    void *arrays[ARRAYS_MAX];
    unsigned count;
    uint32_t state; /* of the random numbers */
};

static void pass(struct job *j, const void *value, size_t bytes, size_t align)
{
    j->bytes = (j->bytes + align - 1) / align * align;
    memcpy(j->parameters + j->bytes, value, bytes);
    j->bytes += bytes;
}

static void pass_int(struct job *j, int value)
{
    pass(j, &value, 4, 4);
}

static inline void pass_float(struct job *j, float value)
{
    pass(j, &value, 4, 4);
}

static uint32_t draw(struct job *j, uint32_t below)
{
    j->state = j->state * 1664525u + 1013904223u;
    return (j->state >> 8) % below;
}

static void *array(struct job *j, size_t bytes)
{
    void *a = must_calloc(bytes + 64, 1);

    j->arrays[j->count++] = a;
    pass(j, &a, 8, 8);
    return a;
}

static float *floats(struct job *j, size_t count)
{
    float *a = array(j, count * 4);

    for (size_t n = 0; n < count; n++)
        a[n] = (float)(int)draw(j, 17) - 8;
    return a;
}

static void equal(const float *got, const float *wanted, size_t count)
{
    for (size_t n = 0; n < count; n++)
        if (fabsf(got[n] - wanted[n]) > 1e-6f * fabsf(wanted[n]))
            fail_msg("element %zu: %g, not %g", n, (double)got[n], (double)wanted[n]);
}

/* A sample sets up its arguments before the run and compares the results after it. */
typedef void sample_before(struct job *j);
typedef void sample_after(struct job *j);

struct sample {
    const char *family, *kernel;
    uint32_t grid[3], block[3];
    sample_before *before;
    sample_after *after;
};

enum { N = 3000, NX = 75, NY = 53, NZ = 9 };

static enum execute_verdict anywhere(void *context, struct execute_warp *w,
                                     const struct execute_access *a)
{
    (void)context, (void)w;
    for (unsigned l = 0; l < 32; l++)
        assert_false((a->mask >> l & 1) && a->address[l] % a->align);
    return EXECUTE_GO;
}

static void run_sample(struct rig *r, const struct sample *s, uint64_t seed)
{
    struct job j = {.state = (uint32_t)seed};
    const struct execute_kernel *kernel = execute_kernel_find(r->program, s->kernel);

    assert_non_null(kernel);
    s->before(&j);
    assert_int_equal(j.bytes, execute_kernel_info(kernel).parameter_bytes);
    r->host.access = anywhere;
    r->launch.parameters = j.parameters;
    memcpy(r->launch.grid, s->grid, sizeof r->launch.grid);
    memcpy(r->launch.block, s->block, sizeof r->launch.block);
    if (rig_run_kernel(r, kernel, seed & 1 ? 100 : 1000000, seed) != EXECUTE_EXITED)
        fail_msg("%s", r->fault);
    s->after(&j);
    for (unsigned k = 0; k < j.count; k++)
        free(j.arrays[k]);
}

/* Runs the text of every compiler, in short and long slices, with and without checks and
   hoisting. */
static void run_samples(const struct sample *samples, size_t count)
{
    for (size_t c = 0; c < sizeof compilers / sizeof compilers[0]; c++)
        for (size_t n = 0; n < count; n++)
            for (uint64_t seed = 0; seed < 4; seed++) {
                struct text path = {NULL, 0, 0};
                char *text;
                size_t bytes;
                struct rig r;

                text_print(&path, PROACT_SOURCE "/tests/ptx/corpus/%s.%s.ptx",
                           samples[n].family, compilers[c]);
                assert_int_equal(file_read(path.data, &text, &bytes, NULL), PROACT_OK);
                rig_open_text(&r, path.data, text, bytes, seed < 3);
                r.launch.check = seed == 2;
                run_sample(&r, &samples[n], seed);
                rig_close(&r);
                free(text);
                text_clear(&path);
            }
}
