/* SPDX-License-Identifier: Apache-2.0 */
/* Anisotropic diffusion: one kernel writes four differences and the coefficient, the other
   one reads them. One kernel writes five arrays. */
#include "programs.h"

__global__ void differences(const float *image, float *north, float *south, float *west,
                            float *east, float *coefficient, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x >= width || y >= height)
        return;
    int i = y * width + x;
    float here = image[i];

    north[i] = image[y > 0 ? i - width : i] - here;
    south[i] = image[y < height - 1 ? i + width : i] - here;
    west[i] = image[x > 0 ? i - 1 : i] - here;
    east[i] = image[x < width - 1 ? i + 1 : i] - here;
    float steep = fabsf(north[i]) + fabsf(south[i]) + fabsf(west[i]) + fabsf(east[i]);

    coefficient[i] = steep > 0.5f ? 0.0625f : 0.125f;
}

__global__ void move(float *image, const float *north, const float *south,
                     const float *west, const float *east, const float *coefficient,
                     int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int i = y * width + x;

    if (x < width && y < height)
        image[i] += coefficient[i] * (north[i] + south[i] + west[i] + east[i]);
}

int main()
{
    const int width = 200, height = 120, count = width * height, steps = 12;
    static float image[count], got[count], slope[4][count], coefficient[count];
    float *d_image, *d_slope[4], *d_coefficient;
    unsigned state = 11;

    for (int i = 0; i < count; i++)
        image[i] = (float)(next_random(&state) % 256) / 256;
    CHECK(cudaMalloc(&d_image, sizeof image));
    CHECK(cudaMalloc(&d_coefficient, sizeof image));
    for (int n = 0; n < 4; n++)
        CHECK(cudaMalloc(&d_slope[n], sizeof image));
    CHECK(cudaMemcpy(d_image, image, sizeof image, cudaMemcpyHostToDevice));
    dim3 threads(32, 4), blocks(blocks_for(width, 32), blocks_for(height, 4));

    for (int t = 0; t < steps; t++) {
        differences<<<blocks, threads>>>(d_image, d_slope[0], d_slope[1], d_slope[2],
                                         d_slope[3], d_coefficient, width, height);
        move<<<blocks, threads>>>(d_image, d_slope[0], d_slope[1], d_slope[2], d_slope[3],
                                  d_coefficient, width, height);
    }
    CHECK(cudaMemcpy(got, d_image, sizeof got, cudaMemcpyDeviceToHost));
    for (int t = 0; t < steps; t++) {
        for (int i = 0; i < count; i++) {
            int x = i % width, y = i / width;

            slope[0][i] = image[y > 0 ? i - width : i] - image[i];
            slope[1][i] = image[y < height - 1 ? i + width : i] - image[i];
            slope[2][i] = image[x > 0 ? i - 1 : i] - image[i];
            slope[3][i] = image[x < width - 1 ? i + 1 : i] - image[i];
            float steep = 0;

            for (int n = 0; n < 4; n++)
                steep += fabsf(slope[n][i]);
            coefficient[i] = steep > 0.5f ? 0.0625f : 0.125f;
        }
        for (int i = 0; i < count; i++)
            image[i] += coefficient[i] *
                        (slope[0][i] + slope[1][i] + slope[2][i] + slope[3][i]);
    }
    /* The host rounds a sum once more or once less. */
    float worst = 0;

    for (int i = 0; i < count; i++)
        worst = fmaxf(worst, fabsf(got[i] - image[i]));
    printf("diffusion: %08x\n", checksum(got, sizeof got));
    return verdict("diffusion", worst < 1e-4f);
}
