/* SPDX-License-Identifier: Apache-2.0 */
/* Idempotent stores: threads of many CTAs store to the same addresses. Usage: alike KERNEL.
   Equal values do not race; different values, or a concurrent read, do. */
#include <cstdio>
#include <cstring>

#include "check.cuh"

enum { CTAS = 48, THREADS = 64, N = CTAS * THREADS };

static __device__ int own()
{
    return blockIdx.x * THREADS + threadIdx.x;
}

/* Stores only some elements: the rest of what is sent was never stored. */
__global__ void some(int *, const int *list, int *out)
{
    if (list[own()] > 50)
        out[own()] = list[own()];
}

/* Sets a flag, as a search does. */
__global__ void flag(int *to, const int *, int *out)
{
    out[own()] = 1;
    *to = 1;
}

/* Marks single bytes, as a traversal does. */
__global__ void marks(int *to, const int *list, int *out)
{
    out[own()] = 1;
    ((unsigned char *)to)[list[own()]] = 1;
}

/* Each CTA writes the same row. */
__global__ void row(int *to, const int *, int *out)
{
    out[own()] = 1;
    to[threadIdx.x] = 3 * threadIdx.x;
}

__global__ void vectors(int *to, const int *, int *out)
{
    out[own()] = 1;
    ((int4 *)to)[own() % 3] = make_int4(1, own() % 3, 3, 4);
}

/* Equal bytes, written as bytes and as words. */
__global__ void parts(int *to, const int *, int *out)
{
    out[own()] = 1;
    if (blockIdx.x % 2)
        to[1] = 0x02020202;
    else
        ((unsigned char *)to)[4 + threadIdx.x % 4] = 2;
}

__global__ void one_other(int *to, const int *, int *out)
{
    out[own()] = 1;
    *to = own() == N - 20 ? 2 : 1;
}

__global__ void other_part(int *to, const int *, int *out)
{
    out[own()] = 1;
    ((int4 *)to)[own() % 3] = make_int4(1, 2, 3, own() == N - 20 ? 5 : 4);
}

__global__ void one_reads(int *to, const int *, int *out)
{
    if (own() != N - 20)
        *to = 1;
    out[own()] = own() == N - 20 ? *to : 0;
}

__global__ void read_before(int *to, const int *, int *out)
{
    if (blockIdx.x > 0)
        *to = 1;
    out[own()] = own() == 0 ? *to : 0;
}

static const struct {
    const char *name;
    void (*run)(int *to, const int *list, int *out);
} kernels[] = {{"some", some},
               {"flag", flag},
               {"marks", marks},
               {"row", row},
               {"vectors", vectors},
               {"parts", parts},
               {"one_other", one_other},
               {"other_part", other_part},
               {"one_reads", one_reads},
               {"read_before", read_before}};

int main(int argc, char **argv)
{
    static int list[N];
    int *to, *from, *out;

    for (int i = 0; i < N; i++)
        list[i] = 7 * i % 100;
    MUST(cudaMalloc(&to, sizeof list));
    MUST(cudaMalloc(&from, sizeof list));
    MUST(cudaMalloc(&out, sizeof list));
    MUST(cudaMemset(to, 0, sizeof list));
    MUST(cudaMemcpy(from, list, sizeof list, cudaMemcpyHostToDevice));
    for (const auto &k : kernels)
        for (int round = 0; argc == 2 && round < 2; round++)
            if (!strcmp(argv[1], k.name))
                k.run<<<CTAS, THREADS>>>(to, from, out);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
