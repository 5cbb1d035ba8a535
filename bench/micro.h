/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Behind <proact/device.h> where the compiler is no nvcc. The producer of PROACT V-A, for
   our kernel and for those of other libraries: each CTA of 256 threads multiplies and adds
   for a while, then makes 4 KB of an array, 16 bytes a thread. */

enum { MICRO_THREADS = 256, MICRO_VECTOR_BYTES = 16 };
enum { MICRO_CTA_BYTES = MICRO_THREADS * MICRO_VECTOR_BYTES };
/* Of a CTA that only marks what it is said to have made, and between two marks. */
enum { MICRO_ANNOTATED_BYTES = 64 << 10, MICRO_MARK_VECTORS = 256 };

struct __attribute__((aligned(16))) micro_vector {
    unsigned word[4];
};

#if defined(__CUDACC__) || defined(__CUDA__)
__device__ static inline __attribute__((always_inline)) micro_vector micro_make(
    unsigned i, unsigned multiply_adds, unsigned salt)
{
    float v = (float)i;

/* A loop of four instructions runs up to 12 % slower where the assembler happens to put it:
   more than what is measured here. */
#pragma unroll 8
    for (unsigned n = 0; n < multiply_adds; n++)
        v = v * 0.999f + 1.0f;
    /* Of use to nobody but the compiler, which would leave the work out otherwise. */
    return micro_vector{{i, salt, ~i, v < 0 ? 1u : i * 2654435761u}};
}
#endif
