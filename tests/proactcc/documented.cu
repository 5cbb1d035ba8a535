/* SPDX-License-Identifier: Apache-2.0 */
/* Usage: documented KERNEL. Programs that are right by CUDA's documentation: loops around
   atomicCAS() that start with a plain load, and copies of padding and of unused tails. The
   last kernels race. */
#include <cstdio>
#include <cstring>

#include "check.cuh"

enum { CTAS = 8, THREADS = 128, N = CTAS * THREADS };

struct result { /* 7 and 4 bytes of padding */
    char kind;
    double energy;
    int steps;
};

static __device__ int own()
{
    return blockIdx.x * THREADS + threadIdx.x;
}

/* The programming guide's atomicAdd() of a double. */
__global__ void sum(void *to, result *, result *)
{
    unsigned long long *a = (unsigned long long *)to, old = *a, seen;

    do {
        seen = old;
        old = atomicCAS(a, seen, __double_as_longlong(1 + __longlong_as_double(seen)));
    } while (seen != old);
}

__global__ void halves(void *to, result *, result *)
{
    unsigned short *a = (unsigned short *)to, old = *a, seen;

    do {
        seen = old;
        old = atomicCAS(a, seen, (unsigned short)(seen + 1));
    } while (seen != old);
}

/* Threads with a smaller value leave after a plain load. */
__global__ void largest(void *to, result *, result *)
{
    int *a = (int *)to, old = *a;

    while (old < own()) {
        const int seen = old;

        old = atomicCAS(a, seen, own());
        if (old == seen)
            break;
    }
}

/* A lock that is looked at before it is taken. */
__global__ void lock(void *to, result *, result *)
{
    int *a = (int *)to;

    if (threadIdx.x)
        return;
    while (*a || atomicCAS(a, 0, 1))
        __threadfence();
    __threadfence();
    a[1] = ((volatile int *)a)[1] + 1;
    __threadfence();
    atomicExch(a, 0);
}

/* The host copies the padding and what no thread writes. */
__global__ void padding(void *, result *r, result *)
{
    if (own() > N / 2)
        return;
    r[own()].kind = 'a';
    r[own()].energy = .5 * own();
    r[own()].steps = own();
}

__global__ void structs(void *, result *r, result *other)
{
    const int i = own();

    r[i].kind = 'a';
    r[i].energy = .5 * i;
    r[i].steps = i;
    other[i] = r[i];
}

__global__ void adds(void *to, result *, result *)
{
    int *a = (int *)to;

    if (*a < N)
        atomicAdd(a, 1);
}

__global__ void stores(void *to, result *, result *)
{
    int *a = (int *)to;

    if (own() == 40)
        *a = own();
    else
        atomicCAS(a, *a, own());
}

static const struct {
    const char *name;
    void (*run)(void *to, result *r, result *other);
} kernels[] = {{"sum", sum},   {"halves", halves},   {"largest", largest},
               {"lock", lock}, {"padding", padding}, {"structs", structs},
               {"adds", adds}, {"stores", stores}};

int main(int argc, char **argv)
{
    static result host[N];
    char *to;
    result *r, *other, *copy;

    MUST(cudaMalloc(&to, 8));
    MUST(cudaMemset(to, 0, 8));
    MUST(cudaMalloc(&r, sizeof host));
    MUST(cudaMalloc(&other, sizeof host));
    MUST(cudaMalloc(&copy, sizeof host));
    for (const auto &k : kernels)
        if (argc == 2 && !strcmp(argv[1], k.name))
            k.run<<<CTAS, THREADS>>>(to, r, other);
    cudaMemcpy(copy, other, sizeof host, cudaMemcpyDeviceToDevice);
    cudaMemcpy(host, r, sizeof host, cudaMemcpyDeviceToHost);
    cudaMemcpy(host, copy, sizeof host, cudaMemcpyDeviceToHost);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
