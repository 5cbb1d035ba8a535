/* SPDX-License-Identifier: Apache-2.0 */
/* A program that does not use the driver. */
__global__ void nothing() {}

int main()
{
    nothing<<<1, 1>>>();
    return cudaDeviceSynchronize() != cudaSuccess;
}
