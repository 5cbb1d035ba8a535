/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels whose duration is a parameter, or grows with the number of elements. */
#pragma once

#include <proact/device.h>

/* Takes the given number of rounds. A CTA stores one word. The load never executes, but the
   analysis cannot know that, so all devices need the data. */
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

/* The same, but no three consecutive CTAs have equal strides. */
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

/* Few threads with many elements each. */
extern "C" __global__ void sweeps(const unsigned *in, unsigned *out, unsigned n,
                                  unsigned each)
{
    unsigned i = (proact_local_cta() * proact_cta_size_x() + proact_thread_x()) * each;

#pragma unroll 1
    for (unsigned k = i; k < i + each && k < n; k++)
        out[k] = in[k] + 1;
}

/* One word of every 64, from the eighth on. */
extern "C" __global__ void dots(unsigned *out, unsigned n, unsigned each)
{
    unsigned i = (proact_local_cta() * proact_cta_size_x() + proact_thread_x()) * each;

#pragma unroll 1
    for (unsigned k = i; k < i + each && k < n; k++)
        out[8 + 64 * k] = k;
}
