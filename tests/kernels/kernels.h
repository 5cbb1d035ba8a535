/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The kernels of this folder, in the styles in which people write CUDA: a table of the same
   form as the samples', plain only. kernels.def has the rows. */

#include "samples/samples.h"

enum kernels_number {
#define SAMPLE(name, file, verdict, refusal) KERNELS_##name,
#include "kernels/kernels.def"
#undef SAMPLE
    KERNELS_COUNT
};
extern const struct sample kernels[KERNELS_COUNT];

/* Seeds that are this far apart give the same sizes and other data. */
enum { KERNELS_SEEDS = 8 };

/* "sm_75" (nvcc), ..., "clang"; NULL-terminated. Not every machine has them all. */
extern const char *const kernels_compilers[];

/* Whether it is one that can compile the kernel's file. */
bool kernels_compiles(const char *compiler, const struct sample *s);

/* What `compiler` made of the kernel's file, to be freed; NULL if that compiler is not here
   or cannot compile it. */
char *kernels_ptx(const struct sample *s, const char *compiler, size_t *bytes);
