/* SPDX-License-Identifier: Apache-2.0 */
/* Device code in three files. The expected output was computed by hand. */
#include "linked.cuh"

enum { N = 1 << 16, THREADS = 128 };

static __device__ __noinline__ int own(int x)
{
    return x - 1;
}

static __global__ void run(int *x, const char *words)
{
    extern __shared__ char narrow[];

    narrow[threadIdx.x] = words[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = narrow[blockDim.x - 1 - threadIdx.x] + own(2);
}

__global__ void steps(int *x)
{
    int i = threadIdx.x;

    x[i] = step(i) + counter + *second;
}

__global__ void shapes(int *x)
{
    Shape square(3);
    Half half(4);
    const Shape &one = threadIdx.x & 1 ? half : square;

    x[threadIdx.x] = area_of(one);
}

__global__ void pairs(int *x)
{
    int i = threadIdx.x;
    Pair p = swapped(Pair{i, 1000 + i}, (char)-i, 0.5f + (float)i);

    x[i] = p.a * 100 + (int)p.b;
}

/* Another file computes and performs the stores of each CTA. */
__global__ void fill(int *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        put(x, i, weigh(i));
}

/* Another file adds up all threads in its own shared memory. */
__global__ void sums(const int *x, int *sums)
{
    int sum = block_sum(x[blockIdx.x * blockDim.x + threadIdx.x]);

    if (threadIdx.x == 0)
        put(sums, blockIdx.x, sum);
}

static void print_sum(const char *name, const int *x)
{
    int h[4];

    cudaMemcpy(h, x, sizeof h, cudaMemcpyDeviceToHost);
    printf("%s: %d %d %d %d\n", name, h[0], h[1], h[2], h[3]);
}

static void check(const int *x)
{
    int *h = new int[N], wrong = 0;

    cudaMemcpy(h, x, N * sizeof *h, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++)
        wrong += h[i] != i + (int[]){50, 2, 3, 4}[i & 3];
    printf("fill: %d wrong\n", wrong);
    delete[] h;
}

int main()
{
    int fifty = 50, called, *x, *y;
    char *words;

    cudaMalloc(&x, N * sizeof *x);
    cudaMalloc(&words, 4);
    cudaMemcpy(words, "abcd", 4, cudaMemcpyHostToDevice);
    cudaMemcpyToSymbol(factors, &fifty, sizeof fifty);
    run<<<1, 4, 4>>>(x, words);
    print_sum("run", x);
    scale(x, 4);
    print_sum("scale", x);
    steps<<<1, 4>>>(x);
    print_sum("steps", x);
    shapes<<<1, 4>>>(x);
    print_sum("shapes", x);
    pairs<<<1, 4>>>(x);
    print_sum("pairs", x);
    reset<int><<<1, 4>>>(x);
    print_sum("reset", x);
    cudaMemcpyFromSymbol(&called, calls, sizeof called);
    printf("calls: %d, shown: %d\n", called, shown);
    fill<<<N / THREADS, THREADS>>>(x, N);
    check(x);
    cudaMalloc(&y, N / THREADS * sizeof *y);
    sums<<<N / THREADS, THREADS>>>(x, y);
    print_sum("sums", y);
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    return 0;
}
