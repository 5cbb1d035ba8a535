/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of a table of features that is indexed by a hash of grid cells. Sums of halves
   and bfloats, one and two at a time, have addresses from a loaded index. All values are
   small integers, so every order gives the same sum. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "programs.h"

enum { POINTS = 20000, PLACES = 2000, THREADS = 128, LEVELS = 2, ROUNDS = 2 };

__device__ static unsigned place_of(const short2 *at, int i, int level)
{
    return (at[i].x * (level + 1) ^ at[i].y * 2654435761u) % PLACES;
}

__global__ void add_pairs(const short2 *at, const int *amount, __half2 *to)
{
    const int i = blockIdx.x * THREADS + threadIdx.x, level = blockIdx.y;

    if (i < POINTS)
        atomicAdd(&to[level * PLACES + place_of(at, i, level)],
                  __floats2half2_rn(amount[i], 1));
}

__global__ void add_ones(const short2 *at, const int *amount, __half *to,
                         __nv_bfloat162 *pairs, __nv_bfloat16 *ones)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;

    if (i >= POINTS)
        return;
    const unsigned place = place_of(at, i, 0);

    atomicAdd(&to[place], __int2half_rn(amount[i]));
    atomicAdd(&pairs[place], __floats2bfloat162_rn(amount[i], 1));
    atomicAdd(&ones[place], __int2bfloat16_rn(amount[i]));
}

/* The sum is also read. */
__global__ void cap(const short2 *at, const int *amount, __half *to)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;

    if (i < POINTS && __half2float(to[place_of(at, i, 0)]) < 9000)
        atomicAdd(&to[place_of(at, i, 0)], __int2half_rn(amount[i]));
}

static void *zeros(size_t bytes)
{
    void *to;

    CHECK(cudaMalloc(&to, bytes));
    CHECK(cudaMemset(to, 0, bytes));
    return to;
}

static void *read_back(const void *from, size_t bytes)
{
    void *to = malloc(bytes);

    CHECK(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost));
    printf("checksum %08x\n", checksum(to, bytes));
    return to;
}

int main(void)
{
    static short2 at[POINTS];
    static int amount[POINTS], is[PLACES], count[PLACES];
    const dim3 levels(blocks_for(POINTS, THREADS), LEVELS);
    short2 *d_at = (short2 *)zeros(sizeof at);
    int *d_amount = (int *)zeros(sizeof amount);
    __half2 *pairs = (__half2 *)zeros(LEVELS * PLACES * sizeof *pairs);
    __half *ones = (__half *)zeros(PLACES * sizeof *ones);
    __nv_bfloat162 *b_pairs = (__nv_bfloat162 *)zeros(PLACES * sizeof *b_pairs);
    __nv_bfloat16 *b_ones = (__nv_bfloat16 *)zeros(PLACES * sizeof *b_ones);
    unsigned state = 3;
    bool right = true;

    for (int i = 0; i < POINTS; i++) {
        at[i] = make_short2(next_random(&state) % 300, next_random(&state) % 300);
        amount[i] = (int)(next_random(&state) % 3) - 1;
    }
    CHECK(cudaMemcpy(d_at, at, sizeof at, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_amount, amount, sizeof amount, cudaMemcpyHostToDevice));
    for (int round = 0; round < ROUNDS; round++) {
        add_pairs<<<levels, THREADS>>>(d_at, d_amount, pairs);
        add_ones<<<levels.x, THREADS>>>(d_at, d_amount, ones, b_pairs, b_ones);
        cap<<<levels.x, THREADS>>>(d_at, d_amount, ones);
    }
    const __half2 *got_pairs = (const __half2 *)read_back(pairs, PLACES * sizeof *pairs);
    const __half *got = (const __half *)read_back(ones, PLACES * sizeof *ones);
    const __nv_bfloat162 *got_b =
        (const __nv_bfloat162 *)read_back(b_pairs, PLACES * sizeof *b_pairs);
    const __nv_bfloat16 *got_one =
        (const __nv_bfloat16 *)read_back(b_ones, PLACES * sizeof *b_ones);

    for (int i = 0; i < POINTS; i++) {
        const unsigned place = (at[i].x ^ at[i].y * 2654435761u) % PLACES;

        is[place] += ROUNDS * amount[i];
        count[place] += ROUNDS;
    }
    for (int p = 0; p < PLACES; p++)
        right &= __low2float(got_pairs[p]) == is[p] &&
                 __high2float(got_pairs[p]) == count[p] &&
                 __half2float(got[p]) == 2 * is[p] && __low2float(got_b[p]) == is[p] &&
                 __high2float(got_b[p]) == count[p] &&
                 __bfloat162float(got_one[p]) == is[p];
    return verdict("half_gradients", right);
}
