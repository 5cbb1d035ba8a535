/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes that any thread may set, all alike: "something changed", "not yet done". Where they
   are volatile their stores do not race by the letter, so that the checker takes them. */
#include "kernel_words.h"

KERNEL(flag_changed, const int *in, int *out, int *changed, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    out[i] = in[i] / 2;
    if (in[i] / 2 != in[i])
        *changed = 1;
}

KERNEL(flag_over, const int *in, int *out, volatile bool *over, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n && in[i] > 90) {
        out[i] = in[i];
        *over = true;
    }
}

/* Several, of one array, and one of them by every thread. */
KERNEL(flags_several, const int *in, int *out, volatile int *flags, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += blockDim.x * gridDim.x) {
        out[i] = -in[i];
        if (in[i] > 95)
            flags[2] = 7;
        if (in[i] < -95)
            flags[5] = -1;
        if (in[i] == 1000)
            flags[6] = 3;
        flags[3] = 7;
    }
}

/* What is set is a parameter, where is one, too; and it is in the midst of the data. */
KERNEL(flag_in_data, const int *in, volatile int *out, int place, int round, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    if (i != place)
        out[i] = in[i] + 1;
    if (in[i] == 0)
        out[place] = round;
}

/* Nothing but flags, of other sizes. */
KERNEL(flags_alone, const int *in, volatile short *low, volatile long long *high,
       volatile double *real, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    if (in[i] < 0)
        low[1] = -1;
    if (in[i] > 0)
        high[1] = 0x123456789abcll;
    if (in[i] > 200)
        *real = 0.5;
}

/* By the CTA, if any of its threads says so. */
KERNEL(flag_by_cta, const int *in, int *out, volatile unsigned char *again, int n)
{
    __shared__ int any;
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (threadIdx.x == 0)
        any = 0;
    __syncthreads();
    if (i < n) {
        out[i] = in[i] & 15;
        if (in[i] == 17)
            any = 1;
    }
    __syncthreads();
    if (threadIdx.x == 0 && any)
        again[3] = 255;
}

/* Two values: the later one would stay. */
KERNEL(flag_of_two, const int *in, int *out, volatile int *sign, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    out[i] = in[i];
    if (in[i] > 1000)
        *sign = 1;
    if (in[i] < -1000)
        *sign = 2;
}

/* Set by all, and by one CTA to another value. */
KERNEL(flag_and_data, const int *in, volatile int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    out[i] = in[i];
    if (in[i] > 1000)
        out[0] = 1;
}

/* Each device has another address. */
KERNEL(flag_of_address, const int *in, int *out, volatile unsigned long long *where, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    out[i] = in[i];
    *where = (unsigned long long)in + 4;
}

/* Whoever sees it would have to see what was done before it was set. */
KERNEL(flag_read, const int *in, int *out, volatile int *stop, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n && !*stop) {
        out[i] = in[i];
        if (in[i] > 1000)
            *stop = 1;
    }
}
