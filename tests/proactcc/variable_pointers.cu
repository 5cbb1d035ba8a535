// SPDX-License-Identifier: Apache-2.0
/* Addresses of device variables that only a kernel has taken: the program uses them in
   copies, fills, queries and launches without the names of the variables. */
#include "check.cuh"

#include <cstring>

static const int n = 50000, length = 1000;

__device__ int table[length] = {5, 6, 7};
__device__ int counter;
__constant__ int fixed[4] = {1, 2, 3, 4};
static __device__ char text[] = "a text in memory";

struct places {
    int *table, *inside, *counter, *fixed;
    char *text;
    const char *literal;
};

__global__ void take(places *out)
{
    static __device__ int inside[16];

    inside[3] = 9;
    *out = {table, inside, &counter, fixed, text, "a literal"};
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

int main()
{
    places p, *d;
    int *out, h[length], v = 0;
    cudaStream_t stream;

    MUST(cudaStreamCreate(&stream));
    MUST(cudaMalloc(&d, sizeof p));
    MUST(cudaMalloc(&out, n * sizeof *out));
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
    return 0;
}
