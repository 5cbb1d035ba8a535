/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/kernels.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "kernels/kernels_fill.h"

/* Kernels in which several CTAs store one value to a word, and sums of floats in any
   order. */
#define RACES(number)                                                                      \
    ((number) == KERNELS_bfs_level || (number) == KERNELS_all_write_one ||                 \
     (number) == KERNELS_flag_changed)
#define IS_UNORDERED(number) ((number) == KERNELS_dot_atomic)

const struct sample kernels[KERNELS_COUNT] = {
#define SAMPLE(row_name, row_file, row_verdict, row_refusal)                               \
    {.name = #row_name,                                                                    \
     .file = #row_file,                                                                    \
     .is_plain_only = true,                                                                \
     .races = RACES(KERNELS_##row_name),                                                   \
     .is_unordered = IS_UNORDERED(KERNELS_##row_name),                                     \
     .verdict = SAMPLES_##row_verdict,                                                     \
     .refusal = row_refusal,                                                               \
     .fill = kernel_##row_name},
#include "kernels/kernels.def"
#undef SAMPLE
};

const char *const kernels_compilers[] = {"sm_75",  "sm_80", "sm_90",
                                         "sm_100", "clang", NULL};

bool kernels_compiles(const char *compiler, const struct sample *s)
{
    if (!strcmp(s->file, "cuda_cluster"))
        return !strcmp(compiler, "sm_90") || !strcmp(compiler, "sm_100");
    if (!strcmp(s->file, "cuda_tensor_types") && !strcmp(compiler, "sm_75"))
        return false;
    return strcmp(compiler, "clang") != 0 || strncmp(s->file, "cuda_", 5) != 0;
}

char *kernels_ptx(const struct sample *s, const char *compiler, size_t *bytes)
{
    char path[1024], *text = NULL;

    snprintf(path, sizeof path, PROACT_BINARY "/tests/kernels/%s.%s.ptx", s->file,
             compiler);
    return file_read(path, &text, bytes, NULL) ? NULL : text;
}

int kernels_step(const struct samples_case *c)
{
    return (int)(c->seed % KERNELS_SEEDS);
}

int kernels_size(const struct samples_case *c, bool large, int small)
{
    return (large ? 16 * small : small) + kernels_step(c) * 29;
}

uint32_t kernels_draw(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

float *kernels_floats(struct samples_case *c, const char *name, int count)
{
    return samples_floats(c, name, (size_t)count);
}

int32_t *kernels_words(struct samples_case *c, const char *name, int count)
{
    return samples_ints(c, name, (size_t)count);
}

void *kernels_add(struct samples_case *c, const char *name, enum samples_element element,
                  int count)
{
    return samples_array_add(c, name, element, (size_t)count);
}

int32_t *kernels_ints(struct samples_case *c, const char *name, int count, int32_t low,
                      int32_t high)
{
    uint32_t state = c->seed * 977u + c->array_count + 5;
    int32_t *a = kernels_words(c, name, count);

    for (int i = 0; i < count; i++)
        a[i] = low + (int32_t)(kernels_draw(&state) % (uint32_t)(high - low));
    return a;
}

unsigned char *kernels_octets(struct samples_case *c, const char *name, int count,
                              unsigned below)
{
    uint32_t state = c->seed * 991u + c->array_count + 9;
    unsigned char *a = samples_octets(c, name, (size_t)count);

    for (int i = 0; i < count; i++)
        a[i] = (unsigned char)((kernels_draw(&state) >> 4) % below);
    return a;
}

void *kernels_zeros(struct samples_case *c, const char *name, enum samples_element element,
                    int count, double tolerance)
{
    kernels_add(c, name, element, count);
    return samples_output(c, tolerance);
}

void kernels_line(struct samples_case *c, int items, int threads)
{
    samples_grid(c, samples_parts(items, threads), 1, threads, 1);
}

void kernels_box(struct samples_case *c, const int size[3], const int threads[3])
{
    for (int d = 0; d < 3; d++) {
        c->grid.threads[d] = (uint32_t)threads[d];
        c->grid.ctas[d] = (uint32_t)samples_parts(size[d], threads[d]);
    }
}
