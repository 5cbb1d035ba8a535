/* SPDX-License-Identifier: Apache-2.0 */
/* Tables without a pointer in the program: a variable gives the index of a store, or memory
   that the host registered does, and a list begins in a variable. Single-device launches
   access them at their addresses. */
#include "programs.h"

enum { N = 1024, THREADS = 64, NODES = 100, ROUNDS = 7, WORDS = 4 * N };

struct node {
    struct node *next;
    int value;
};

static __device__ struct node nodes[NODES];
static __device__ struct node *head;
static __device__ int stride[4];

__global__ void set_stride(int to)
{
    stride[2] = to;
}

__global__ void link(int factor)
{
    const int i = threadIdx.x;

    nodes[i].value = i * factor;
    nodes[i].next = i + 1 < NODES ? &nodes[i + 1] : NULL;
    if (i == 0)
        head = nodes;
}

__global__ void by_variable(int *out)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;

    out[i * stride[2]] += i + 1;
}

__global__ void by_registered(int *out, const int *got)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;

    out[i * got[5]] += i + 1;
}

__global__ void along_list(int *out)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    int left = i % NODES, sum = 0;

    for (const struct node *n = head; n && left >= 0; n = n->next, left--)
        sum += n->value;
    out[i] += sum;
}

static bool has_sums(const int *out, int step)
{
    static int got[WORDS];

    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++)
        if (got[i * step] != ROUNDS * (i + 1))
            return false;
    printf("checksum %08x\n", checksum(got, sizeof got));
    return true;
}

static bool lists_are_walked(const int *out)
{
    static int got[N];
    int factors = 0;

    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int round = 0; round < ROUNDS; round++)
        factors += round;
    for (int i = 0; i < N; i++)
        if (got[i] != factors * (i % NODES * (i % NODES + 1) / 2))
            return false;
    return true;
}

int main(void)
{
    int *out[3], *got = (int *)calloc(WORDS, sizeof(int)), *there;

    for (int n = 0; n < 3; n++) {
        CHECK(cudaMalloc(&out[n], WORDS * sizeof(int)));
        CHECK(cudaMemset(out[n], 0, WORDS * sizeof(int)));
    }
    got[5] = 2;
    CHECK(cudaHostRegister(got, WORDS * sizeof(int), cudaHostRegisterMapped));
    CHECK(cudaHostGetDevicePointer((void **)&there, got, 0));
    set_stride<<<1, 1>>>(3);
    for (int round = 0; round < ROUNDS; round++) {
        link<<<1, NODES>>>(round);
        by_variable<<<N / THREADS, THREADS>>>(out[0]);
        by_registered<<<N / THREADS, THREADS>>>(out[1], there);
        along_list<<<N / THREADS, THREADS>>>(out[2]);
        CHECK(cudaDeviceSynchronize());
    }
    const bool right =
        has_sums(out[0], 3) && has_sums(out[1], 2) && lists_are_walked(out[2]);

    CHECK(cudaHostUnregister(got));
    free(got);
    for (int n = 0; n < 3; n++)
        CHECK(cudaFree(out[n]));
    return verdict("hidden_tables", right);
}
