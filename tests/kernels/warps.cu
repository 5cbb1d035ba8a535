/* SPDX-License-Identifier: Apache-2.0 */
/* Warps that cooperate: exchanged values give addresses or loop bounds. */
#include "kernel_words.h"

WORD int lane()
{
    return threadIdx.x % 32;
}

/* One warp for each row; its index is broadcast to all lanes. */
KERNEL(warp_rows, const float *in, float *out, int columns, int rows)
{
    const int warp = __shfl_sync(0xffffffffu, threadIdx.x / 32, 0);
    const int row = blockIdx.x * (blockDim.x / 32) + warp;

    if (row < rows)
        for (int i = lane(); i < columns; i += 32)
            out[row * columns + i] = in[row * columns + i] * 2 + row;
}

/* The loop continues while any lane has work. */
KERNEL(warp_steps, const int *in, int *out, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; __ballot_sync(0xffffffffu, i < n);
         i += gridDim.x * blockDim.x)
        if (i < n) {
            out[i] = in[i] / 3;
            if (in[i] > 50)
                out[i] = -1;
        }
}

/* Lanes with an element of the pattern write to adjacent addresses. */
KERNEL(warp_packed, const int *in, int *out, int every, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned yes = __ballot_sync(0xffffffffu, i < n && i % every != 1);

    if (yes >> lane() & 1)
        out[i - lane() + __popc(yes & ((1u << lane()) - 1))] = in[i];
}

/* The first lane gives the warp's start. */
KERNEL(warp_base, const int *in, int *out, int gap, int n)
{
    int base = 0;

    if (lane() == 0)
        base = (blockIdx.x * blockDim.x + threadIdx.x) / 32 * (32 + gap);
    base = __shfl_sync(0xffffffffu, base, 0);
    if (base / (32 + gap) * 32 + lane() < n)
        out[base + lane()] = in[base / (32 + gap) * 32 + lane()] + 1;
}

/* The loaded values select the lanes. */
KERNEL(warp_kept, const int *in, int *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned yes = __ballot_sync(0xffffffffu, i < n && in[i < n ? i : 0] > 0);

    if (yes >> lane() & 1)
        out[i - lane() + __popc(yes & ((1u << lane()) - 1))] = in[i];
}
