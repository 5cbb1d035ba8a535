/* SPDX-License-Identifier: Apache-2.0 */
/* cuFFT between kernels: a forward and an inverse transform restore the data. */
#include <cufft.h>

#include "between.h"

static const int n = 1 << 16, threads = 256;

__global__ void wave(float2 *x, int turn)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        x[i] = make_float2((float)((i * (turn + 3)) % 17), (float)(i % 5));
}

/* Scales each element by the length of the transform. */
__global__ void shorten(float2 *out, const float2 *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = make_float2(in[i].x / n, in[i].y / n);
}

__global__ void to_whole(int *out, const float2 *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = (int)rintf(in[i].x) * 8 + (int)rintf(in[i].y);
}

int main(void)
{
    const int blocks = blocks_for(n, threads);
    float2 *x = on_device<float2>(n), *y = on_device<float2>(n), *z = on_device<float2>(n);
    int *whole = on_device<int>(n);
    cudaStream_t stream;
    cufftHandle plan;
    bool right = true;

    WELL(cufftPlan1d(&plan, n, CUFFT_C2C, 1));
    CHECK(cudaStreamCreate(&stream));
    for (int turn = 0; turn < 6; turn++) {
        WELL(cufftSetStream(plan, turn % 2 ? stream : NULL));
        wave<<<blocks, threads>>>(x, turn);
        WELL(cufftExecC2C(plan, x, y, CUFFT_FORWARD));
        shorten<<<blocks, threads>>>(z, y);
        WELL(cufftExecC2C(plan, z, z, CUFFT_INVERSE)); /* in place */
        to_whole<<<blocks, threads>>>(whole, z);
        int *host = on_host(whole, n);

        for (int i = 0; i < n; i++)
            right = right && host[i] == (i * (turn + 3)) % 17 * 8 + i % 5;
        printf("turn %d: %u\n", turn, checksum(host, n * sizeof *host));
        free(host);
    }
    WELL(cufftDestroy(plan));
    CHECK(cudaStreamDestroy(stream));
    return verdict("fft_between", right);
}
