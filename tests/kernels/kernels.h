/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The kernels of this folder, written in common CUDA styles. The table has the form of the
   samples' table, with plain kernels only; kernels.def has the rows. */

#include "samples/samples.h"

enum kernels_number {
#define SAMPLE(name, file, verdict, refusal) KERNELS_##name,
#include "kernels/kernels.def"
#undef SAMPLE
    KERNELS_COUNT
};
extern const struct sample kernels[KERNELS_COUNT];

/* Seeds with this distance give equal sizes and different data. */
enum { KERNELS_SEEDS = 8 };

/* "sm_75" (nvcc), ..., "clang"; NULL-terminated. A machine may lack some of them. */
extern const char *const kernels_compilers[];

/* True if this compiler supports the kernel's file. */
bool kernels_compiles(const char *compiler, const struct sample *s);

/* PTX of the kernel's file from `compiler`; the caller frees it. NULL if the compiler is
   missing or does not support the file. */
char *kernels_ptx(const struct sample *s, const char *compiler, size_t *bytes);
