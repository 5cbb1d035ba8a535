/* SPDX-License-Identifier: Apache-2.0 */
/* Loops over volatile arrays, whose loaded values select what is done, and one loop with a
   bound that is reloaded each time. No loop waits for another thread. */
#include "programs.h"
#include <vector>

__device__ volatile int rounds, scale;

__global__ void set(int many, int by)
{
    rounds = many;
    scale = by;
}

__global__ void weigh(const volatile float *in, float *out, int n)
{
    __shared__ float weight[32];

    if (threadIdx.x == 0)
        for (int i = 0; i < rounds; i++)
            weight[i] = i * .5f;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += blockDim.x * gridDim.x) {
        float v = in[i];

        if (v > .5f)
            v = v * scale - weight[i % 16];
        out[i] = v;
    }
}

int main(void)
{
    const int n = 5000, threads = 128;
    std::vector<float> in(n), out(n);
    float *from, *to;
    unsigned random = 9;
    bool right = true;

    for (float &v : in)
        v = next_random(&random) % 100 / 100.f;
    CHECK(cudaMalloc((void **)&from, n * sizeof *from));
    CHECK(cudaMalloc((void **)&to, n * sizeof *to));
    CHECK(cudaMemcpy(from, in.data(), n * sizeof *from, cudaMemcpyHostToDevice));
    set<<<1, 1>>>(16, 4);
    weigh<<<16, threads>>>(from, to, n);
    CHECK(cudaMemcpy(out.data(), to, n * sizeof *to, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        right &= out[i] == (in[i] > .5f ? in[i] * 4 - i % 16 * .5f : in[i]);
    return verdict("fresh_loads", right);
}
