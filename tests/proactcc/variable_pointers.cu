// SPDX-License-Identifier: Apache-2.0
/* Addresses of device variables that only a kernel has taken: the program uses them in
   copies, fills, queries and launches without the names of the variables. */
#include "check.cuh"

#include <cstdint>
#include <cstring>
#include <cuda.h>

static const int n = 50000, length = 1000;

__device__ int table[length] = {5, 6, 7};
__device__ int counter;
__constant__ int fixed[4] = {1, 2, 3, 4};
static __device__ char text[] = "a text in memory";
__device__ const char *const words[] = {"zero", "one", "two"};
__device__ int sum;                      /* kernels write it */
__device__ int hidden[4] = {1, 2, 3, 4}; /* no kernel takes its address */

struct places {
    int *table, *inside, *counter, *fixed;
    char *text;
    const char *literal, *word;
    int *sum, *next;
};

/* Stores an address by a function that is not inlined. */
__device__ __noinline__ void put(int **to, int *what)
{
    *to = what;
}

__global__ void take(places *out)
{
    static __device__ int inside[16];

    inside[3] = 9;
    *out = {table, inside, &counter, fixed, text, "a literal", words[out->sum != nullptr],
            &sum};
    put(&out->next, &table[4]);
    atomicAdd(&sum, hidden[1]);
}

__global__ void use(int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = table[i % length] + i;
}

__global__ void add(int *to, int by)
{
    to[threadIdx.x] += by;
}

static void expect_table(int *out, int factor)
{
    static int h[n];
    int wrong = 0;

    use<<<(n + 127) / 128, 128>>>(out);
    MUST(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        wrong += h[i] != i % length * factor + i;
    printf("%d elements are wrong\n", wrong);
}

/* Texts and constants are read, and one variable is copied to another. */
static void reads(const places &p)
{
    char h[32] = "";
    int v[4] = {0};

    MUST(cudaMemcpy(h, p.text + 2, 14, cudaMemcpyDeviceToHost));
    printf("%s\n", h);
    MUST(cudaMemcpy(h, p.literal, 10, cudaMemcpyDeviceToHost));
    printf("%s\n", h);
    MUST(cudaMemcpy(h, p.word, 5, cudaMemcpyDeviceToHost));
    printf("%s\n", h);
    MUST(cudaMemcpy(v, p.sum, sizeof(int), cudaMemcpyDeviceToHost));
    printf("%d, element %d\n", v[0], (int)(p.next - p.table));
    MUST(cudaMemcpy(v, p.fixed, sizeof v, cudaMemcpyDeviceToHost));
    printf("%d %d %d %d\n", v[0], v[1], v[2], v[3]);
    MUST(cudaMemcpy(v, p.inside + 3, sizeof(int), cudaMemcpyDefault));
    printf("%d\n", v[0]);
    MUST(cudaMemcpy2D(p.inside, 8, p.table, 8, 4, 2, cudaMemcpyDeviceToDevice));
    MUST(cudaMemcpyFromSymbol(v, table, 3 * sizeof(int)));
    MUST(cudaMemcpy(v + 1, p.inside, 3 * sizeof(int), cudaMemcpyDeviceToHost));
    printf("%d %d %d %d\n", v[0], v[1], v[2], v[3]);
}

static void queries(const places &p)
{
    cudaPointerAttributes is;
    int *same;

    for (const void *at : {(void *)p.table, (void *)(p.inside + 2), (void *)p.text}) {
        MUST(cudaPointerGetAttributes(&is, at));
        HOLDS(is.type == cudaMemoryTypeDevice && is.device == 0);
    }
    MUST(cudaGetSymbolAddress((void **)&same, table));
    HOLDS(same == p.table);
    printf("past the end: %s\n",
           cudaGetErrorName(cudaMemcpy(p.table, p.fixed, 4004, cudaMemcpyDeviceToDevice)));
    printf("freed: %s\n", cudaGetErrorName(cudaFree(p.counter)));
    cudaGetLastError();
}

/* The calls of the driver. */
static void driver_calls(const places &p, int *out)
{
    const CUdeviceptr at = (CUdeviceptr)p.table;
    CUdeviceptr first = 0;
    size_t bytes = 0;
    unsigned type = 0;
    int v[4] = {8, 9, 0, 0};

    HOLDS(!cuMemcpyHtoD(at + 8, v, 8) && !cuMemsetD32(at, 7, 2));
    HOLDS(!cuMemcpyDtoD(at + 16, at, 8) && !cuMemcpyDtoH(v, at + 8, 16));
    printf("%d %d %d %d\n", v[0], v[1], v[2], v[3]);
    HOLDS(!cuMemGetAddressRange(&first, &bytes, at + 100));
    HOLDS(first == at && bytes == length * sizeof(int));
    HOLDS(!cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, at + 4));
    HOLDS(type == CU_MEMORYTYPE_DEVICE);
    MUST(cudaMemcpyPeer(out, 0, p.table, 0, 8));
    MUST(cudaMemcpy(v, out, 8, cudaMemcpyDeviceToHost));
    printf("%d %d\n", v[0], v[1]);
}

int main()
{
    places p, *d;
    int *out, h[length], v = 0;
    cudaStream_t stream;

    MUST(cudaStreamCreate(&stream));
    MUST(cudaMalloc(&d, sizeof p));
    MUST(cudaMalloc(&out, n * sizeof *out));
    MUST(cudaMemset(d, 0, sizeof p));
    take<<<1, 1>>>(d);
    MUST(cudaMemcpy(&p, d, sizeof p, cudaMemcpyDeviceToHost));
    reads(p);
    for (int i = 0; i < length; i++)
        h[i] = i * 3;
    MUST(cudaMemcpy(p.table, h, sizeof h, cudaMemcpyHostToDevice));
    expect_table(out, 3);
    for (int i = 0; i < length; i++)
        h[i] = i * 4;
    MUST(cudaMemcpyAsync(p.table, h, sizeof h, cudaMemcpyHostToDevice, stream));
    MUST(cudaStreamSynchronize(stream));
    expect_table(out, 4);
    MUST(cudaMemset(p.table, 0, sizeof h));
    expect_table(out, 0);
    MUST(cudaMemcpyToSymbol(counter, &v, sizeof v));
    add<<<1, 1>>>(p.counter, 11);
    add<<<1, 1>>>(p.counter, 11);
    MUST(cudaMemcpyFromSymbol(&v, counter, sizeof v));
    printf("%d\n", v);
    add<<<1, 2>>>(p.table, 1); /* a split kernel reads the new values */
    use<<<(n + 127) / 128, 128>>>(out);
    MUST(cudaMemcpy(h, out + n - length, sizeof h, cudaMemcpyDeviceToHost));
    printf("%d %d %d\n", h[0] - n + length, h[1] - n + length, h[2] - n + length);
    queries(p);
    driver_calls(p, out);
    return 0;
}
