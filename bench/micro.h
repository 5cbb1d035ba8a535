/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The producer of PROACT V-A, for our kernel and for those of other libraries. Each CTA of
   256 threads performs multiply-adds, then writes 4 KB of an array, 16 bytes per thread.
   With a compiler other than nvcc, <proact/device.h> must precede this header. */

enum { MICRO_THREADS = 256, MICRO_VECTOR_BYTES = 16 };
enum { MICRO_CTA_BYTES = MICRO_THREADS * MICRO_VECTOR_BYTES };
/* Bytes of a CTA of micro_runs: each of its threads stores 64 B. */
enum { MICRO_RUNS_BYTES = 16 << 10 };
/* Bytes that a CTA of micro_marks covers, and vectors between two of its stores. */
enum { MICRO_ANNOTATED_BYTES = 64 << 10, MICRO_MARK_VECTORS = 256 };

struct __attribute__((aligned(16))) micro_vector {
    unsigned word[4];
};

#if defined(__CUDACC__) || defined(__CUDA__)
__device__ static inline __attribute__((always_inline)) float micro_work(
    unsigned i, unsigned multiply_adds)
{
    float v = (float)i;

/* Unrolling makes the time independent of the code's alignment. A loop of four instructions
   takes up to 12 % longer at some addresses, which exceeds the measured effects. */
#pragma unroll 8
    for (unsigned n = 0; n < multiply_adds; n++)
        v = v * 0.999f + 1.0f;
    return v;
}

/* Vector i. It uses the result of the work; otherwise the compiler would remove the loop.
 */
__device__ static inline __attribute__((always_inline)) micro_vector micro_vector_of(
    unsigned i, unsigned salt, float v)
{
    return micro_vector{{i, salt, ~i, v < 0 ? 1u : i * 2654435761u}};
}

__device__ static inline __attribute__((always_inline)) micro_vector micro_make(
    unsigned i, unsigned multiply_adds, unsigned salt)
{
    return micro_vector_of(i, salt, micro_work(i, multiply_adds));
}
#endif
