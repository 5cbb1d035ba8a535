/* SPDX-License-Identifier: Apache-2.0 */
/* What writes a little of an array: launches that go where that is. */
#include <proact/device.h>

/* One row, or the same from its end on. */
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

/* From a word on, so many by each CTA. */
extern "C" __global__ void stretch(const unsigned *in, unsigned *out, unsigned first,
                                   unsigned each)
{
    unsigned at = first + proact_local_cta() * each + proact_thread_x();

    if (proact_thread_x() < each)
        out[at] = 5 * in[at];
}
