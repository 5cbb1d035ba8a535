/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that write a part of an array: their launches run where that part is. */
#include <proact/device.h>

/* Writes one row, in ascending or descending order. */
extern "C" __global__ void one_row(const unsigned *in, unsigned *out, unsigned row,
                                   unsigned pitch)
{
    unsigned t = proact_local_cta() * proact_cta_size_x() + proact_thread_x();

    if (t < pitch)
        out[row * pitch + t] = 3 * in[row * pitch + t];
}
extern "C" __global__ void one_row_back(const unsigned *in, unsigned *out, unsigned row,
                                        unsigned pitch)
{
    unsigned t = proact_local_cta() * proact_cta_size_x() + proact_thread_x();

    if (t < pitch)
        out[row * pitch + pitch - 1 - t] = 3 * in[row * pitch + pitch - 1 - t];
}

/* Each CTA writes a number of words, from a first word on. */
extern "C" __global__ void stretch(const unsigned *in, unsigned *out, unsigned first,
                                   unsigned each)
{
    unsigned at = first + proact_local_cta() * each + proact_thread_x();

    if (proact_thread_x() < each)
        out[at] = 5 * in[at];
}

/* Copies. The CTAs from `late` on take longer. */
extern "C" __global__ void ends_late(const unsigned *in, unsigned *out, unsigned n,
                                     unsigned late)
{
    unsigned i = proact_local_cta() * proact_cta_size_x() + proact_thread_x(), x = i;

    if (i >= n)
        return;
#pragma unroll 1
    for (unsigned r = 0; r < 20000 && proact_local_cta() >= late; r++)
        x = x * 1664525u + 1013904223u;
    out[i] = in[i] + (x == 0x12345678);
}
