/* SPDX-License-Identifier: Apache-2.0 */
/* Pitched rows in two and three dimensions. */
#include "check.cuh"
#include <cstring>

enum { W = 37, H = 11, D = 5 };

__global__ void add(char *base, size_t pitch, int width, int height, int value)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x,
        y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < width && y < height)
        ((int *)(base + y * pitch))[x] += value + x + 100 * y;
}

int main()
{
    static int in[H * D][W], out[H * D][W + 3];
    char *rows, *other;
    size_t pitch, other_pitch;
    cudaPitchedPtr box;
    cudaMemcpy3DParms copy = {};

    for (int y = 0; y < H * D; y++)
        for (int x = 0; x < W; x++)
            in[y][x] = 7 * x + 3 * y;
    MUST(cudaMallocPitch(&rows, &pitch, W * sizeof(int), H));
    MUST(cudaMallocPitch(&other, &other_pitch, 2 * W * sizeof(int), H));
    HOLDS(pitch >= W * sizeof(int) && pitch % 256 == 0);
    MUST(cudaMemcpy2D(rows, pitch, in, sizeof in[0], W * sizeof(int), H,
                      cudaMemcpyHostToDevice));
    add<<<dim3(3, 3), dim3(16, 4)>>>(rows, pitch, W, H, 1);
    MUST(cudaMemcpy2DAsync(other, other_pitch, rows, pitch, W * sizeof(int), H,
                           cudaMemcpyDeviceToDevice, 0));
    MUST(cudaMemset2D(rows, pitch, 0x11, W * sizeof(int), H - 1));
    memset(out, 0xff, sizeof out);
    MUST(cudaMemcpy2D(out, sizeof out[0], other, other_pitch, W * sizeof(int), H,
                      cudaMemcpyDeviceToHost));
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W + 3; x++)
            HOLDS(out[y][x] == (x < W ? 8 * x + 103 * y + 1 : -1));
    MUST(cudaMemcpy2D(out, sizeof out[0], rows, pitch, W * sizeof(int), H,
                      cudaMemcpyDeviceToHost));
    HOLDS(out[H - 2][W - 1] == 0x11111111 && out[H - 1][0] == 103 * (H - 1) + 1);

    MUST(cudaMalloc3D(&box, make_cudaExtent(W * sizeof(int), H, D)));
    MUST(cudaMemset3D(box, 0, make_cudaExtent(W * sizeof(int), H, D)));
    copy.srcPtr = make_cudaPitchedPtr(in, sizeof in[0], W, H);
    copy.dstPtr = box;
    copy.extent = make_cudaExtent(W * sizeof(int), H, D);
    copy.kind = cudaMemcpyHostToDevice;
    MUST(cudaMemcpy3D(&copy));
    add<<<dim3(3, 14), dim3(16, 4)>>>((char *)box.ptr, box.pitch, W, H * D, 5);
    copy = {};
    copy.srcPtr = box;
    copy.srcPos = make_cudaPos(0, 0, 1);
    copy.dstPtr = make_cudaPitchedPtr(out, sizeof out[0], W + 3, H);
    copy.extent = make_cudaExtent(W * sizeof(int), H, D - 1);
    copy.kind = cudaMemcpyDeviceToHost;
    MUST(cudaMemcpy3D(&copy));
    for (int y = 0; y < H * (D - 1); y++)
        for (int x = 0; x < W; x++)
            HOLDS(out[y][x] == 8 * x + 103 * (y + H) + 5);
    HOLDS(cudaMemcpy2D(rows, 8, in, sizeof in[0], 16, 2, cudaMemcpyHostToDevice) ==
          cudaErrorInvalidPitchValue);
    HOLDS(cudaMemcpy2D(rows, pitch, other, other_pitch, 4, H + 1,
                       cudaMemcpyDeviceToDevice) == cudaErrorInvalidValue);
    copy = {}; /* a two-wide column of the box becomes rows elsewhere */
    copy.srcPtr = box;
    copy.srcPos = make_cudaPos(4 * sizeof(int), 0, 0);
    copy.dstPtr = make_cudaPitchedPtr(other, other_pitch, 2 * W * sizeof(int), 2);
    copy.dstPos = make_cudaPos(W * sizeof(int), 1, 0);
    copy.extent = make_cudaExtent(2 * sizeof(int), 2, D);
    copy.kind = cudaMemcpyDeviceToDevice;
    MUST(cudaMemcpy3D(&copy));
    MUST(cudaMemcpy2D(out, sizeof out[0], other + W * sizeof(int), other_pitch,
                      3 * sizeof(int), H, cudaMemcpyDeviceToHost));
    for (int z = 0; z < D; z++)
        for (int y = 0; y < 2; y++)
            HOLDS(out[1 + 2 * z + y][1] == 8 * 5 + 103 * (z * H + y) + 5);
    MUST(cudaFree(rows));
    MUST(cudaFree(other));
    MUST(cudaFree(box.ptr));
    printf("pitch: %d\n", out[20][20]);
    return 0;
}
