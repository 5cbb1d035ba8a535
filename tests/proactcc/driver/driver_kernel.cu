/* SPDX-License-Identifier: Apache-2.0 */
/* The module for driver_load.c. */
extern "C" __global__ void times(int *x, int n, int factor)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        x[i] = i * factor;
}
