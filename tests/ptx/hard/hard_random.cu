/* SPDX-License-Identifier: Apache-2.0 */
/* A table of a hundred thousand numbers before the code: cuRAND. nvcc only. */
#include <curand_kernel.h>

__global__ void random_numbers(float *a, int n)
{
    curandStatePhilox4_32_10_t state;
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    curand_init(1234, i, 0, &state);
    if (i < n)
        a[i] = curand_uniform(&state);
}
