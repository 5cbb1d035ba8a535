/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays that kernels reach through constants and through variables that only the host
   writes: a table in addition to the parameters, and all arrays of a kernel without
   parameters. They are exchanged between launches. */
#include "programs.h"

enum { W = 96, H = 80, N = W * H, ROUNDS = 6 };

struct field {
    const float *from;
    float *to;
    long pitch;
    int width, height;
};

__constant__ struct field field;
__constant__ const float *weights;
__constant__ const float *lent;
__device__ const float *scales;
__device__ float *walked; /* a kernel advances it */
__device__ float offsets[W];

/* The arrays of `field`, without a parameter. */
__global__ void relax(void)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    const float *a = field.from + y * field.pitch + x;

    if (x >= field.width || y >= field.height)
        return;
    float sum = *a;
    if (x > 0 && y > 0 && x + 1 < field.width && y + 1 < field.height)
        sum = 0.2f * (*a + a[-1] + a[1] + a[-field.pitch] + a[field.pitch]);
    field.to[y * field.pitch + x] = sum;
}

__global__ void weigh(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = in[i] * weights[i % W];
}

__global__ void scale(float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] *= scales[i % W];
}

/* A recursive function is not inlined, and such a variable is not promoted. */
__device__ __noinline__ void move_on(int times)
{
    if (times == 0)
        return;
    walked += W / 2;
    move_on(times - 1);
    __threadfence_block();
}

__global__ void walk(int times)
{
    move_on(times);
}

__global__ void step(float by)
{
    walked[blockIdx.x * blockDim.x + threadIdx.x] += by;
}

/* Every device has a separate copy of the variable. */
__global__ void shift(float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] += lent[i % W];
}

static void relax_here(float *to, const float *from)
{
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            const float *a = from + y * W + x;

            to[y * W + x] = x > 0 && y > 0 && x + 1 < W && y + 1 < H
                                ? 0.2f * (*a + a[-1] + a[1] + a[-W] + a[W])
                                : *a;
        }
}

static void compare(const float *device, const float *is, int *wrong)
{
    static float got[N];

    CHECK(cudaMemcpy(got, device, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++)
        *wrong += fabsf(got[i] - is[i]) > 1e-3f * fabsf(is[i]);
    printf("checksum %08x\n", checksum(got, sizeof got));
}

int main(void)
{
    static float is[N], was[N], w[W];
    float *a, *b, *table, *address;
    int wrong = 0;

    CHECK(cudaMalloc(&a, sizeof is));
    CHECK(cudaMalloc(&b, sizeof is));
    CHECK(cudaMalloc(&table, 2 * sizeof w));
    for (int i = 0; i < N; i++)
        is[i] = (float)(i * 7 % 113);
    CHECK(cudaMemcpy(a, is, sizeof is, cudaMemcpyHostToDevice));
    for (int round = 0; round < ROUNDS; round++) {
        const struct field f = {round % 2 ? b : a, round % 2 ? a : b, W, W, H};
        const float *here = table + round % 2 * W; /* within an array */

        for (int i = 0; i < W; i++)
            w[i] = 1 + 0.01f * (i + round) / W;
        CHECK(cudaMemcpy((void *)here, w, sizeof w, cudaMemcpyHostToDevice));
        CHECK(cudaMemcpyToSymbol(field, &f, sizeof f));
        CHECK(cudaMemcpyToSymbol(weights, &here, sizeof here));
        relax<<<dim3(blocks_for(W, 32), H), 32>>>();
        weigh<<<blocks_for(N, 128), 128>>>(f.to, f.to, N);
        CHECK(cudaMemcpyToSymbol(scales, &here, sizeof here));
        scale<<<blocks_for(N, 128), 128>>>(f.to, N);
        memcpy(was, is, sizeof is);
        relax_here(is, was);
        for (int i = 0; i < N; i++)
            is[i] *= w[i % W] * w[i % W];
    }
    CHECK(cudaMemcpyToSymbol(walked, &a, sizeof a));
    for (int y = 0; y < 5; y++) {
        step<<<2, W / 2>>>((float)y);
        walk<<<1, 1>>>(2);
        for (int x = 0; x < W; x++)
            is[y * W + x] += y;
    }
    compare(a, is, &wrong);
    CHECK(cudaMemcpyToSymbol(offsets, w, sizeof w));
    CHECK(cudaGetSymbolAddress((void **)&address, offsets));
    CHECK(cudaMemcpyToSymbol(lent, &address, sizeof address));
    shift<<<blocks_for(N, 128), 128>>>(a, N);
    for (int i = 0; i < N; i++)
        is[i] += w[i % W];
    compare(a, is, &wrong);
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    CHECK(cudaFree(table));
    return verdict("constant_pointers", wrong == 0);
}
