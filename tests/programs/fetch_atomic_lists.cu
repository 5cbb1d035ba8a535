/* SPDX-License-Identifier: Apache-2.0 */
/* CTAs that communicate through value-returning atomics: the last one adds up the results
   of all, lists are filled element by element, and keys get ranks. Kernels that wait in
   order run on a single device. */
#include "programs.h"

enum { N = 40000, THREADS = 128, CTAS = 96, BINS = 50, TURNS = 6, ROUNDS = 3 };
enum { CELLS = 45, BLOCKS = 130 };

__global__ void total(const float *in, float *partial, unsigned *done, float *out)
{
    __shared__ float sums[THREADS];
    __shared__ bool is_last;
    float sum = 0;

    for (int i = blockIdx.x * THREADS + threadIdx.x; i < N; i += gridDim.x * THREADS)
        sum += in[i];
    sums[threadIdx.x] = sum;
    for (int half = THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            sums[threadIdx.x] += sums[threadIdx.x + half];
    }
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = sums[0];
        __threadfence();
        is_last = atomicInc(done, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last && threadIdx.x == 0) {
        sum = 0;
        for (int i = 0; i < gridDim.x; i++)
            sum += ((volatile float *)partial)[i];
        *out = sum;
    }
}

__global__ void keep(const int *in, int *out, int *count)
{
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < N; i += gridDim.x * THREADS)
        if (in[i] % 7 == 3)
            out[atomicAdd(count, 1)] = in[i];
}

/* Warps continue while any lane has work: they fill a list and a separate element of each
   thread. */
__global__ void keep_by_warps(const int *in, int *out, int *count, int *left)
{
    for (int i = blockIdx.x * THREADS + threadIdx.x; __any_sync(~0u, i < N);
         i += gridDim.x * THREADS)
        if (i < N) {
            if (in[i] % 7 == 3)
                out[atomicAdd(count, 1)] = in[i];
            left[i] = in[i] % 7;
        }
}

/* Selected cells of blocks: an index is divided by a constant, and the quotient is part of
   the guard. There are more threads than cells. */
__global__ void keep_cells(const int *cell, const int *block, unsigned blocks, int *out,
                           int *count)
{
    const unsigned i = blockIdx.x * THREADS + threadIdx.x, b = i / CELLS;

    if (b < blocks && cell[i] % 3 == 0)
        out[atomicAdd(count, 1)] = block[b] * CELLS + i % CELLS;
}

/* The last CTA reads all bins. */
__global__ void rank_keys(const int *key, int *rank, int *bins, unsigned *done, int *most)
{
    __shared__ bool is_last;
    int i = blockIdx.x * THREADS + threadIdx.x;

    if (i < N)
        rank[i] = atomicAdd(&bins[key[i] % BINS], 1);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        is_last = atomicAdd(done, 1) == gridDim.x - 1;
    __syncthreads();
    if (is_last && threadIdx.x == 0) {
        int all = 0;

        for (int b = 0; b < BINS; b++)
            all = max(all, bins[b]);
        *most = all;
        *done = 0;
    }
}

/* One array passed twice: the last CTA reads what all have stored. */
__global__ void chain(const float *before, float *after, unsigned *done, float *out)
{
    __shared__ bool is_last;

    after[blockIdx.x * THREADS + threadIdx.x] = (float)(blockIdx.x + threadIdx.x);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        is_last = atomicInc(done, gridDim.x - 1) == gridDim.x - 1;
    __syncthreads();
    if (is_last) {
        float sum = 0;

        for (int i = threadIdx.x; i < gridDim.x * THREADS; i += THREADS)
            sum += before[i];
        out[threadIdx.x] = sum;
    }
}

/* CTAs run in order. */
__global__ void take_turns(int *turn, int *value)
{
    if (threadIdx.x != 0)
        return;
    while (atomicAdd(turn, 0) != blockIdx.x)
        ;
    *value = *value * 3 + blockIdx.x;
    __threadfence();
    atomicAdd(turn, 1);
}

static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

struct lists {
    float *in, *partial, *out;
    int *key, *list, *left, *cell, *cells, *numbers;
    unsigned *done;
};

static bool sums_are_right(const struct lists *l)
{
    float got, chained[THREADS], is = 0, is_chained = 0;

    for (int i = 0; i < N; i++)
        is += i % 13;
    total<<<CTAS, THREADS>>>(l->in, l->partial, l->done, l->out);
    CHECK(cudaMemcpy(&got, l->out, sizeof got, cudaMemcpyDeviceToHost));
    chain<<<CTAS, THREADS>>>(l->partial, l->partial, l->done, l->out);
    CHECK(cudaMemcpy(chained, l->out, sizeof chained, cudaMemcpyDeviceToHost));
    for (int b = 0; b < CTAS; b++)
        is_chained += b + 5;
    printf("sums %.0f %.0f\n", got, chained[5]);
    return got == is && chained[5] == is_chained;
}

static bool lists_are_right(const struct lists *l)
{
    static int list[N], rank[N];
    int count, most, wrong = 0, at[BINS] = {0}, is = 0;

    CHECK(cudaMemset(l->numbers, 0, (BINS + 2) * sizeof(int)));
    keep<<<CTAS, THREADS>>>(l->key, l->list, l->numbers);
    CHECK(cudaMemcpy(&count, l->numbers, sizeof count, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(list, l->list, count * sizeof *list, cudaMemcpyDeviceToHost));
    qsort(list, count, sizeof *list, compare);
    printf("checksum %d %08x\n", count, checksum(list, count * sizeof *list));
    rank_keys<<<blocks_for(N, THREADS), THREADS>>>(l->key, l->list, l->numbers + 2, l->done,
                                                   l->numbers + 1);
    CHECK(cudaMemcpy(&most, l->numbers + 1, sizeof most, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(rank, l->list, sizeof rank, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++)
        at[i * 11 % 10007 % BINS] += 1 + rank[i];
    for (int i = 0; i < BINS; i++) {
        int of = 0;

        for (int k = 0; k < N; k++)
            of += k * 11 % 10007 % BINS == i;
        wrong += at[i] != of * (of + 1) / 2;
        is = of > is ? of : is;
    }
    printf("most %d\n", most);
    return wrong == 0 && most == is;
}

static bool warps_are_right(const struct lists *l)
{
    static int list[N], left[N];
    int count, kept = 0;

    CHECK(cudaMemset(l->numbers, 0, sizeof(int)));
    keep_by_warps<<<CTAS, THREADS>>>(l->key, l->list, l->numbers, l->left);
    CHECK(cudaMemcpy(&count, l->numbers, sizeof count, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(list, l->list, count * sizeof *list, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(left, l->left, sizeof left, cudaMemcpyDeviceToHost));
    qsort(list, count, sizeof *list, compare);
    printf("warps %d %08x\n", count, checksum(list, count * sizeof *list));
    for (int i = 0; i < N; i++) {
        if (left[i] != i * 11 % 10007 % 7)
            return false;
        kept += left[i] == 3;
    }
    return count == kept;
}

static bool cells_are_right(const struct lists *l)
{
    static int cells[BLOCKS * CELLS];
    int count, is = 0, next = 0;

    CHECK(cudaMemset(l->numbers, 0, sizeof(int)));
    keep_cells<<<CTAS, THREADS>>>(l->cell, l->key, BLOCKS, l->cells, l->numbers);
    CHECK(cudaMemcpy(&count, l->numbers, sizeof count, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(cells, l->cells, sizeof cells, cudaMemcpyDeviceToHost));
    qsort(cells, count, sizeof *cells, compare);
    for (int i = 0; i < BLOCKS * CELLS; i++)
        if (i * 11 % 10007 % 3 == 0) /* block numbers increase */
            is += next < count && cells[next++] == i / CELLS * 11 * CELLS + i % CELLS;
    return is == count && next == count;
}

static bool turns_are_right(const struct lists *l)
{
    int value, is = 0;

    CHECK(cudaMemset(l->numbers, 0, 2 * sizeof(int)));
    take_turns<<<TURNS, 32>>>(l->numbers, l->numbers + 1);
    CHECK(cudaMemcpy(&value, l->numbers + 1, sizeof value, cudaMemcpyDeviceToHost));
    for (int i = 0; i < TURNS; i++)
        is = is * 3 + i;
    return value == is;
}

int main(void)
{
    static float in[N];
    static int key[N];
    struct lists l;
    bool right = true;

    for (int i = 0; i < N; i++) {
        in[i] = (float)(i % 13);
        key[i] = i * 11 % 10007;
    }
    CHECK(cudaMalloc(&l.in, sizeof in));
    CHECK(cudaMalloc(&l.partial, CTAS * THREADS * sizeof(float)));
    CHECK(cudaMalloc(&l.out, THREADS * sizeof(float)));
    CHECK(cudaMalloc(&l.key, sizeof key));
    CHECK(cudaMalloc(&l.list, sizeof key));
    CHECK(cudaMalloc(&l.left, sizeof key));
    CHECK(cudaMalloc(&l.cell, BLOCKS * CELLS * sizeof(int)));
    CHECK(cudaMalloc(&l.cells, BLOCKS * CELLS * sizeof(int)));
    CHECK(cudaMalloc(&l.numbers, (BINS + 2) * sizeof(int)));
    CHECK(cudaMalloc(&l.done, sizeof *l.done));
    CHECK(cudaMemset(l.done, 0, sizeof *l.done));
    CHECK(cudaMemcpy(l.in, in, sizeof in, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(l.key, key, sizeof key, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(l.cell, key, BLOCKS * CELLS * sizeof *key, cudaMemcpyHostToDevice));
    for (int round = 0; round < ROUNDS; round++)
        right = sums_are_right(&l) && lists_are_right(&l) && warps_are_right(&l) &&
                cells_are_right(&l) && turns_are_right(&l) && right;
    CHECK(cudaFree(l.in));
    CHECK(cudaFree(l.partial));
    CHECK(cudaFree(l.out));
    CHECK(cudaFree(l.key));
    CHECK(cudaFree(l.list));
    CHECK(cudaFree(l.left));
    CHECK(cudaFree(l.cell));
    CHECK(cudaFree(l.cells));
    CHECK(cudaFree(l.numbers));
    CHECK(cudaFree(l.done));
    return verdict("fetch_atomic_lists", right);
}
