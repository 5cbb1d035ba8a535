/* SPDX-License-Identifier: Apache-2.0 */
/* Recursive functions: a quicksort in every thread, Ackermann's function, a tree traversal,
   and local variables that the callee writes. */
#include "programs.h"

enum { PARTS = 96, LENGTH = 64, NODES = 127 };

__device__ __noinline__ void quicksort(int *from, int *end)
{
    if (end - from < 2)
        return;
    int pivot = from[(end - from) / 2], *low = from, *high = end - 1;

    while (low <= high) {
        while (*low < pivot)
            low++;
        while (*high > pivot)
            high--;
        if (low <= high) {
            int kept = *low;

            *low++ = *high;
            *high-- = kept;
        }
    }
    quicksort(from, high + 1);
    quicksort(low, end);
}

__global__ void sort_parts(int *data)
{
    int part = blockIdx.x * blockDim.x + threadIdx.x;

    if (part < PARTS)
        quicksort(data + part * LENGTH, data + (part + 1) * LENGTH);
}

__host__ __device__ int ackermann(int m, int n)
{
    return m == 0 ? n + 1 : ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}

__global__ void numbers(int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    out[i] = ackermann(i % 3, i % 5);
}

/* Sum of a tree in an array, and its depth, in a variable of each call. */
__host__ __device__ int walk(const int *tree, int node, int *depth)
{
    int below[2] = {0, 0}, sum = 0;

    if (node >= NODES || tree[node] < 0) {
        *depth = 0;
        return 0;
    }
    for (int i = 0; i < 2; i++)
        sum += (i + 1) * walk(tree, 2 * node + 1 + i, &below[i]);
    *depth = 1 + (below[0] > below[1] ? below[0] : below[1]);
    return sum + tree[node];
}

__global__ void walk_all(const int *tree, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, depth;

    if (i < NODES) {
        out[2 * i] = walk(tree, i, &depth);
        out[2 * i + 1] = depth;
    }
}

static int by_value(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

int main()
{
    static int data[PARTS * LENGTH], sorted[PARTS * LENGTH], tree[NODES], out[2 * NODES];
    unsigned state = 5;
    bool right = true;
    int *device, *results;

    for (int i = 0; i < PARTS * LENGTH; i++)
        data[i] = sorted[i] = (int)(next_random(&state) % 1000);
    for (int i = 0; i < NODES; i++)
        tree[i] = (int)(next_random(&state) % 50) - 4;
    for (int i = 0; i < PARTS; i++)
        qsort(sorted + i * LENGTH, LENGTH, sizeof *sorted, by_value);
    CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 16384));
    CHECK(cudaMalloc(&device, sizeof data));
    CHECK(cudaMalloc(&results, sizeof out));
    CHECK(cudaMemcpy(device, data, sizeof data, cudaMemcpyHostToDevice));
    sort_parts<<<3, PARTS / 3>>>(device);
    CHECK(cudaMemcpy(data, device, sizeof data, cudaMemcpyDeviceToHost));
    right &= memcmp(data, sorted, sizeof data) == 0;
    numbers<<<4, 32>>>(results);
    CHECK(cudaMemcpy(out, results, 128 * sizeof *out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 128; i++)
        right &= out[i] == ackermann(i % 3, i % 5);
    CHECK(cudaMemcpy(device, tree, sizeof tree, cudaMemcpyHostToDevice));
    walk_all<<<4, 32>>>(device, results);
    CHECK(cudaMemcpy(out, results, sizeof out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < NODES; i++) {
        int depth, sum = walk(tree, i, &depth);

        right &= out[2 * i] == sum && out[2 * i + 1] == depth;
    }
    printf("sorted %08x, walked %08x\n", checksum(data, sizeof data),
           checksum(out, sizeof out));
    CHECK(cudaFree(device));
    CHECK(cudaFree(results));
    return verdict("recursive_calls", right);
}
