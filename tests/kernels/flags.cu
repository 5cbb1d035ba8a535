/* SPDX-License-Identifier: Apache-2.0 */
/* Idempotent stores: flags that any thread may set to the same value, like "changed" and
   "not done". They are volatile where a plain store would formally be a data race, so that
   the checker accepts them. */
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

/* Several flags of one array, one of them set by every thread. */
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

/* A flag whose value and index are parameters, among the data. */
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

/* Only flags, of other sizes. */
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

/* A flag that the CTA sets if any of its threads requests it. */
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

/* Two values: the later one would remain. */
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

/* A flag that all CTAs set, and one CTA sets to another value. */
KERNEL(flag_and_data, const int *in, volatile int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    out[i] = in[i];
    if (in[i] > 1000)
        out[0] = 1;
}

/* A stored address, which differs between devices. */
KERNEL(flag_of_address, const int *in, int *out, volatile unsigned long long *where, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    out[i] = in[i];
    *where = (unsigned long long)in + 4;
}

/* A flag that is also read: a reader would have to see earlier stores. */
KERNEL(flag_read, const int *in, int *out, volatile int *stop, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n && !*stop) {
        out[i] = in[i];
        if (in[i] > 1000)
            *stop = 1;
    }
}

/* An atomic that keeps the bits set before. */
KERNEL(flag_or, const int *in, int *out, int *changed, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    out[i] = in[i] / 2;
    if (in[i] / 2 != in[i])
        atomicOr(changed, 4);
}

/* Atomics of every operation, signed and unsigned, of 4 and 8 bytes, on words of one array
   each. */
KERNEL(flags_joined, const int *in, int *bits, int *least, unsigned *most, long long *low,
       unsigned long long *high, int round, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += blockDim.x * gridDim.x) {
        if (in[i] > 90)
            atomicOr(&bits[1], round);
        if (in[i] < -90)
            atomicAnd(&bits[2], ~8);
        if (in[i] == 0)
            atomicExch(&bits[3], round);
        if (in[i] == 1000)
            atomicOr(&bits[4], 1);
        if (in[i] != 1000) {
            atomicMin(&least[0], -7);
            atomicMin(&least[1], -7);
        }
        atomicMax(&most[0], 7u);
        atomicMax(&most[1], 7u);
        if (in[i] == 17)
            atomicMin(&low[1], -0x123456789all);
        if (in[i] == 18)
            atomicMax(&high[1], 0xf000000000000000ull);
    }
}

/* Stores and exchanges of the same value, repeatedly. */
KERNEL(flags_in_loop, const int *in, int *out, volatile int *set, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    for (int k = 0; i < n && k < 3; k++) {
        out[3 * i + k] = in[i] >> k;
        if (in[i] % (k + 2) == 0)
            set[0] = 5;
        else
            atomicExch((int *)&set[0], 5);
        if (in[i] > 20 * k)
            atomicMax((int *)&set[1], -2);
    }
}

/* Atomics with a guard, with system scope, and without a result register, in inline
   assembly. */
KERNEL(flags_guarded, const int *in, int *bits, long long *low, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        asm volatile("{\n\t.reg .pred p;\n\t.reg .b64 was;\n\t"
                     "setp.gt.s32 p, %2, 90;\n\t"
                     "@p red.relaxed.gpu.global.or.b32 [%0+4], 6;\n\t"
                     "@!p red.and.b32 [%0+8], -9;\n\t"
                     "@!p atom.relaxed.sys.min.s64 was, [%1+8], -9;\n\t"
                     "@p atom.relaxed.gpu.global.exch.b64 _, [%1], 5;\n\t}"
                     :
                     : "l"(bits), "l"(low), "r"(in[i])
                     : "memory");
}

/* Several values of each operation, at any distance; the last index is a launch
   parameter. */
KERNEL(flags_of_several, const int *in, int *bits, int *least, unsigned long long *most,
       int round, int place, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += blockDim.x * gridDim.x) {
        if (in[i] > 90)
            atomicOr(&bits[0], 16);
        if (in[i] < -90)
            atomicOr(&bits[0], 32);
        if (in[i] == 0)
            atomicOr(&bits[place], round);
        atomicOr(&bits[3], 256);
        if (in[i] & 1)
            atomicAnd(&bits[1], ~1);
        if (in[i] & 2)
            atomicAnd(&bits[1], ~8);
        if (in[i] > 50)
            atomicMin(least, -7);
        if (in[i] < -50)
            atomicMin(least, -9);
        atomicMax(most, 7ull);
        if (in[i] == 17)
            atomicMax(most, 0xf000000000000000ull);
    }
}

/* Compare-and-swap from the old value. */
KERNEL(flags_compared, const int *in, int *set, unsigned long long *wide, int round, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    if (in[i] > 90)
        atomicCAS(&set[0], 0, 5);
    if (in[i] < -90)
        atomicCAS(&set[1], 0, round);
    atomicCAS(&set[2], round, -1);
    atomicCAS(wide, 3ull, 0xf000000000000000ull);
}

/* Two compare-and-swaps whose order is visible. */
KERNEL(flags_compared_two, const int *in, int *set, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n && in[i] > 1000)
        atomicCAS(set, 0, 5);
    if (i < n && in[i] < -1000)
        atomicCAS(set, 0, 6);
}

/* Two different operations on one word. */
KERNEL(flag_or_and, const int *in, int *set, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n && in[i] > 1000)
        atomicOr(set, 6);
    if (i < n && in[i] < -1000)
        atomicAnd(set, 5);
}

/* An operation and a store that do not commute. */
KERNEL(flag_or_and_set, const int *in, int *out, int *sign, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    out[i] = in[i];
    if (in[i] > 1000)
        atomicOr(sign, 1);
    if (in[i] < -1000)
        *sign = 1;
}

/* An operation that is not idempotent. */
KERNEL(flag_turned, const int *in, int *out, int *odd, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    out[i] = in[i];
    if (in[i] > 1000)
        atomicXor(odd, 1);
}

/* A result that shows which thread was first. */
KERNEL(flag_queried, const int *in, int *out, int *noted, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    out[i] = in[i];
    if (in[i] > 1000 && !atomicOr(noted, 1))
        out[i] = 0;
}

KERNEL(flag_or_read, const int *in, int *out, int *stop, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n && !*(volatile int *)stop) {
        out[i] = in[i];
        if (in[i] > 1000)
            atomicOr(stop, 1);
    }
}

/* An atomic that also counts. */
KERNEL(flag_and_count, const int *in, int *out, int *most, int *count, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    out[i] = in[i];
    atomicMax(most, 3);
    atomicAdd(count, 1);
}
