/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels on a periodic lattice. Tables state the source of each of the five planes: in
   constant memory, in a struct in constant memory, or in global memory. */
#include "kernels/kernel_words.h"

enum { WAYS = 5 };

struct ways {
    float weight[WAYS];
    int x[WAYS], y[WAYS];
};

__constant__ int step_x[WAYS], step_y[WAYS], opposite[WAYS];
__constant__ struct ways ways;
__constant__ float weight[WAYS];

#define PLACE                                                                              \
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;                         \
    int here = y * w + x, n = w * h;                                                       \
                                                                                           \
    if (x >= w)                                                                            \
    return

/* An odd cell reflects: a value from memory selects one of two sources. */
#define PULL(X, Y, BACK)                                                                   \
    for (int k = 0; k < WAYS; k++) {                                                       \
        int from = (y - Y[k] + h) % h * w + (x - X[k] + w) % w;                            \
                                                                                           \
        out[k * n + here] = in[in[here] & 1 ? BACK[k] * n + here : k * n + from] + k;      \
    }

KERNEL(pulls, const int *in, int *out, int w, int h)
{
    PLACE;
#pragma unroll
    PULL(step_x, step_y, opposite)
}

KERNEL(pulls_in_rounds, const int *in, int *out, int w, int h)
{
    PLACE;
#pragma unroll 1
    PULL(step_x, step_y, opposite)
}

KERNEL(pulls_by_struct, const int *in, int *out, int w, int h)
{
    PLACE;
#pragma unroll
    PULL(ways.x, ways.y, opposite)
}

/* The content of these tables is not known at launch. */
KERNEL(pulls_by_memory, const int *in, int *out, int w, int h, const int *__restrict__ to_x,
       const int *__restrict__ to_y)
{
    PLACE;
#pragma unroll
    PULL(to_x, to_y, opposite)
}

/* A constant that does not influence addresses. */
KERNEL(weighs, const int *in, int *out, int w, int h)
{
    PLACE;
#pragma unroll
    for (int k = 0; k < WAYS; k++)
        out[k * n + here] = (int)((float)(in[k * n + here] & 1023) * weight[k]);
}
