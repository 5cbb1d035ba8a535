/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that are not inlined: one returns the position of a thread, one stores through
   a pointer, and one calls both. */
#include "programs.h"

enum { WIDTH = 200, HEIGHT = 60, CELLS = WIDTH * HEIGHT };

struct place {
    int x, y;
};

__device__ __noinline__ struct place where(void)
{
    return {(int)(blockIdx.x * blockDim.x + threadIdx.x),
            (int)(blockIdx.y * blockDim.y + threadIdx.y)};
}

__host__ __device__ __noinline__ void put(float *to, float from, int steps)
{
    for (int i = 0; i < steps; i++)
        from = 0.5f * from + 1;
    *to = from;
}

__device__ __noinline__ void put_here(float *out, const float *in)
{
    struct place p = where();

    if (p.x < WIDTH && p.y < HEIGHT)
        put(&out[p.y * WIDTH + p.x], in[p.y * WIDTH + WIDTH - 1 - p.x], p.y % 4);
}

__global__ void turn_rows(float *out, const float *in)
{
    put_here(out, in);
}

int main()
{
    static float in[CELLS], out[CELLS], expected[CELLS];
    float *device_in, *device_out;

    for (int i = 0; i < CELLS; i++)
        in[i] = (float)(i % 97);
    for (int i = 0; i < CELLS; i++)
        put(&expected[i], in[i / WIDTH * WIDTH + WIDTH - 1 - i % WIDTH], i / WIDTH % 4);
    CHECK(cudaMalloc(&device_in, sizeof in));
    CHECK(cudaMalloc(&device_out, sizeof out));
    CHECK(cudaMemcpy(device_in, in, sizeof in, cudaMemcpyHostToDevice));
    turn_rows<<<dim3(blocks_for(WIDTH, 16), blocks_for(HEIGHT, 8)), dim3(16, 8)>>>(
        device_out, device_in);
    CHECK(cudaMemcpy(out, device_out, sizeof out, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(device_in));
    CHECK(cudaFree(device_out));
    return verdict("called_stores", memcmp(out, expected, sizeof out) == 0);
}
