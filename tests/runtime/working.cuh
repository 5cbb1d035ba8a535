/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that take as long as they are told, or as they have elements. */
#pragma once

#include <proact/device.h>

/* Takes as long as it is told; a CTA stores one word. What it might read, if a square left
   5 of 8, all devices must have. */
static __device__ unsigned worked(unsigned x, unsigned *o, unsigned n, unsigned rounds)
{
#pragma unroll 1
    for (unsigned r = 0; r < rounds; r++)
        x = x * 1664525u + 1013904223u;
    return x * x % 8 == 5 ? o[x % n] : x;
}

extern "C" __global__ void works(unsigned *out, unsigned n, unsigned rounds)
{
    unsigned i = proact_local_cta(), x = worked(i + proact_thread_x(), out, n, rounds);

    if (i < n && proact_thread_x() == 0)
        out[i] = x;
}

/* The same, where no three CTAs follow each other in equal steps. */
extern "C" __global__ void works_apart(unsigned *out, unsigned n, unsigned rounds)
{
    unsigned i = proact_local_cta(), x = worked(i + proact_thread_x(), out, n, rounds);
    unsigned at = i / 4 * 4 + i % 2 * 2 + i / 2 % 2;

    if (at < n && proact_thread_x() == 0)
        out[at] = x;
}

extern "C" __global__ void steps(const unsigned *in, unsigned *out, unsigned n,
                                 unsigned rounds)
{
    unsigned i = proact_local_cta() * proact_cta_size_x() + proact_thread_x();

    if (i >= n)
        return;
    unsigned x = in[i];

#pragma unroll 1
    for (unsigned r = 0; r < rounds; r++)
        x = x * 1664525u + 1013904223u;
    out[i] = x;
}

/* Few threads, each of which has many elements. */
extern "C" __global__ void sweeps(const unsigned *in, unsigned *out, unsigned n,
                                  unsigned each)
{
    unsigned i = (proact_local_cta() * proact_cta_size_x() + proact_thread_x()) * each;

#pragma unroll 1
    for (unsigned k = i; k < i + each && k < n; k++)
        out[k] = in[k] + 1;
}

/* A word of 64, from the eighth on. */
extern "C" __global__ void dots(unsigned *out, unsigned n, unsigned each)
{
    unsigned i = (proact_local_cta() * proact_cta_size_x() + proact_thread_x()) * each;

#pragma unroll 1
    for (unsigned k = i; k < i + each && k < n; k++)
        out[8 + 64 * k] = k;
}
