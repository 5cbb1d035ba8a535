/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Functions for the kernels_*.c files that fill cases; samples_fill.h has more. */

#include "kernels/kernels.h"
#include "samples/samples_fill.h"

#define SAMPLE(name, file, verdict, refusal)                                               \
    void kernel_##name(struct samples_case *c, bool large);
#include "kernels/kernels.def"
#undef SAMPLE

/* Sizes differ between seeds, by seed % 8: about `small`, or 16 times that. */
int kernels_step(const struct samples_case *c);
int kernels_size(const struct samples_case *c, bool large, int small);
uint32_t kernels_draw(uint32_t *state); /* 24 bits */

/* Arrays as in samples_fill.h: random floats, integers of zero, zeros of any type. */
float *kernels_floats(struct samples_case *c, const char *name, int count);
int32_t *kernels_words(struct samples_case *c, const char *name, int count);
void *kernels_add(struct samples_case *c, const char *name, enum samples_element element,
                  int count);
/* An array of random values low to high - 1, or below `below`. */
int32_t *kernels_ints(struct samples_case *c, const char *name, int count, int32_t low,
                      int32_t high);
unsigned char *kernels_octets(struct samples_case *c, const char *name, int count,
                              unsigned below);
/* An output that is zero before the launch. */
void *kernels_zeros(struct samples_case *c, const char *name, enum samples_element element,
                    int count, double tolerance);

/* A grid of CTAs of so many threads over so many items, in one dimension or three. */
void kernels_line(struct samples_case *c, int items, int threads);
void kernels_box(struct samples_case *c, const int size[3], const int threads[3]);
