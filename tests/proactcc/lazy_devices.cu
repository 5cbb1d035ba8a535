/* SPDX-License-Identifier: Apache-2.0 */
/* lazy_devices [N]: N steps on an array (default 100), with a read of the result after each
   step, so that time passes. */
#include "check.cuh"
#include <cstdlib>
#include <vector>

__constant__ int added;

__global__ void step(int n, const int *from, int *to)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        to[i] = from[i] + from[n - 1 - i] % 2 + added;
}

int main(int count, char **values)
{
    const int n = 20000, bytes = n * (int)sizeof(int);
    const int steps = count > 1 ? atoi(values[1]) : 100;
    std::vector<int> is(n), next(n), noted(n);
    int *from, *to, one = 1;

    MUST(cudaMalloc(&from, bytes));
    MUST(cudaMalloc(&to, bytes));
    MUST(cudaMemcpyToSymbol(added, &one, sizeof one));
    for (int i = 0; i < n; i++)
        is[i] = i * 7 % 1000;
    MUST(cudaMemcpy(from, is.data(), bytes, cudaMemcpyHostToDevice));
    for (int s = 0; s < steps; s++) {
        step<<<(n + 127) / 128, 128>>>(n, from, to);
        MUST(cudaMemcpy(noted.data(), to, bytes, cudaMemcpyDeviceToHost));
        for (int i = 0; i < n; i++)
            next[i] = is[i] + is[n - 1 - i] % 2 + 1;
        HOLDS(noted == next);
        is.swap(next);
        int *was = from;

        from = to;
        to = was;
    }
    MUST(cudaGetLastError());
    printf("%d steps\n", steps);
    return 0;
}
