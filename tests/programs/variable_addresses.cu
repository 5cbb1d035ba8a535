/* SPDX-License-Identifier: Apache-2.0 */
/* Variables that no kernel names: kernels receive their addresses like those of arrays. */
#include "programs.h"
#include <vector>

enum { N = 5000, THREADS = 128, ROUNDS = 6 };

__device__ float from[N] = {3, 1, 4}, to[N], weights[64];
__device__ int steps[N];

__global__ void add(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        y[i] += 2 * x[n - 1 - i];
}

__global__ void count(int *steps, const float *of, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n && of[i] > 8)
        steps[i]++;
}

/* Names a variable, which therefore stays in the module. */
__global__ void weigh(float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        y[i] *= weights[i % 64];
}

int main(void)
{
    std::vector<float> x(N), y(N), w(64), got(N);
    std::vector<int> s(N), counted(N);
    float *d_from, *d_to, *d_weights;
    int *d_steps;
    size_t bytes;
    bool right = true;

    x[0] = 3, x[1] = 1, x[2] = 4;
    for (int i = 3; i < N; i++)
        x[i] = i % 17;
    for (int i = 0; i < 64; i++)
        w[i] = i % 2 ? 1 : 0.5f;
    /* before the address is requested, and after */
    CHECK(cudaMemcpyToSymbol(from, &x[3], (N - 3) * sizeof(float), 3 * sizeof(float)));
    CHECK(cudaGetSymbolAddress((void **)&d_from, from));
    CHECK(cudaGetSymbolAddress((void **)&d_to, to));
    CHECK(cudaGetSymbolAddress((void **)&d_weights, weights));
    CHECK(cudaGetSymbolAddress((void **)&d_steps, steps));
    CHECK(cudaGetSymbolSize(&bytes, to));
    right = right && bytes == N * sizeof(float);
    CHECK(cudaMemcpy(d_weights, w.data(), sizeof weights, cudaMemcpyHostToDevice));
    for (int round = 0; round < ROUNDS; round++) {
        add<<<blocks_for(N, THREADS), THREADS>>>(d_from, d_to, N);
        count<<<blocks_for(N, THREADS), THREADS>>>(d_steps, d_to, N);
        weigh<<<blocks_for(N, THREADS), THREADS>>>(d_to, N);
        for (int i = 0; i < N; i++) {
            y[i] += 2 * x[N - 1 - i];
            s[i] += y[i] > 8;
            y[i] *= w[i % 64];
        }
        x[round] = 100 + round;
        if (round % 2)
            CHECK(cudaMemcpyToSymbol(from, &x[round], sizeof(float),
                                     round * sizeof(float)));
        else
            CHECK(cudaMemcpy(d_from + round, &x[round], sizeof(float),
                             cudaMemcpyHostToDevice));
    }
    CHECK(cudaMemcpyFromSymbol(got.data(), to, N * sizeof(float)));
    CHECK(cudaMemcpy(counted.data(), d_steps, N * sizeof(int), cudaMemcpyDeviceToHost));
    right = right && got == y && counted == s;
    printf("checksums %08x %08x\n", checksum(got.data(), N * sizeof(float)),
           checksum(counted.data(), N * sizeof(int)));
    return verdict("variable_addresses", right);
}
