/* SPDX-License-Identifier: Apache-2.0 */
/* Read and write addresses that depend on constants: directions of a lattice with initial
   values, and a shape that the host changes by several calls. */
#include "programs.h"

enum { W = 90, H = 70, WAYS = 5, MOST = 128 * 96 };

struct shape {
    int width, height, pitch, first;
};

__constant__ int to_x[WAYS] = {0, 1, 0, -1, 0}, to_y[WAYS] = {0, 0, 1, 0, -1};
__constant__ struct shape shape;

__global__ void push(const float *from, float *to)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;

    for (int k = 0; k < WAYS && x < W; k++)
        to[((y + to_y[k] + H) % H * W + (x + to_x[k] + W) % W) * WAYS + k] =
            from[(y * W + x) * WAYS + k] * 0.5f + k;
}

__global__ void fill(int *out, int step)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;

    if (x < shape.width && y < shape.height)
        out[shape.first + y * shape.pitch + x] = step + x * y;
}

/* A stencil in a grid of rows with a pitch. */
__global__ void smooth(int *out, const int *in)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    int i = shape.first + y * shape.pitch + x;

    if (x > 0 && y > 0 && x + 1 < shape.width && y + 1 < shape.height)
        out[i] =
            in[i - 1] + in[i + 1] + in[i - shape.pitch] + in[i + shape.pitch] - 3 * in[i];
}

__global__ void copy(int *to, const int *from)
{
    to[threadIdx.x] = from[threadIdx.x];
}

static bool lattice(void)
{
    static float got[W * H * WAYS], is[W * H * WAYS], was[W * H * WAYS];
    static const int dx[WAYS] = {0, 1, 0, -1, 0}, dy[WAYS] = {0, 0, 1, 0, -1};
    float *a, *b;

    for (int i = 0; i < W * H * WAYS; i++)
        is[i] = (float)(i % 101);
    CHECK(cudaMalloc(&a, sizeof is));
    CHECK(cudaMalloc(&b, sizeof is));
    CHECK(cudaMemcpy(a, is, sizeof is, cudaMemcpyHostToDevice));
    for (int step = 0; step < 6; step++) {
        push<<<dim3(blocks_for(W, 32), H), 32>>>(step % 2 ? b : a, step % 2 ? a : b);
        memcpy(was, is, sizeof is);
        for (int i = 0; i < W * H * WAYS; i++) {
            int k = i % WAYS, x = i / WAYS % W, y = i / WAYS / W;

            is[((y + dy[k] + H) % H * W + (x + dx[k] + W) % W) * WAYS + k] =
                was[i] * 0.5f + k;
        }
    }
    CHECK(cudaMemcpy(got, a, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    printf("checksum %08x\n", checksum(got, sizeof got));
    return memcmp(got, is, sizeof is) == 0;
}

/* Sets the shape by each available call, in turn. */
static void tell(const struct shape *s, struct shape *on_device, int step)
{
    void *address;

    CHECK(cudaMemcpy(on_device, s, sizeof *s, cudaMemcpyHostToDevice));
    CHECK(cudaGetSymbolAddress(&address, shape));
    if (step % 5 == 0)
        CHECK(cudaMemcpyToSymbol(shape, s, sizeof *s));
    else if (step % 5 == 1)
        CHECK(cudaMemcpyToSymbol(shape, on_device, sizeof *s, 0, cudaMemcpyDeviceToDevice));
    else if (step % 5 == 2)
        CHECK(cudaMemcpy(address, s, sizeof *s, cudaMemcpyHostToDevice));
    else if (step % 5 == 4)
        copy<<<1, 4>>>((int *)address, (const int *)on_device);
    else
        CHECK(cudaMemcpyAsync(address, on_device, sizeof *s, cudaMemcpyDeviceToDevice));
}

/* Reference of the kernel on the host. */
static void fill_here(int *out, const struct shape *s, int step)
{
    for (int y = 0; y < s->height; y++)
        for (int x = 0; x < s->width; x++)
            out[s->first + y * s->pitch + x] = step + x * y;
}

static void smooth_here(int *out, const int *in, const struct shape *s)
{
    for (int y = 1; y + 1 < s->height; y++)
        for (int x = 1; x + 1 < s->width; x++) {
            int i = s->first + y * s->pitch + x;

            out[i] =
                in[i - 1] + in[i + 1] + in[i - s->pitch] + in[i + s->pitch] - 3 * in[i];
        }
}

static bool shapes(int steps)
{
    static int got[MOST], a[MOST], b[MOST];
    struct shape *on_device;
    int *from, *to;

    CHECK(cudaMalloc(&on_device, sizeof *on_device));
    CHECK(cudaMalloc(&from, sizeof got));
    CHECK(cudaMalloc(&to, sizeof got));
    CHECK(cudaMemset(from, 0, sizeof got));
    CHECK(cudaMemset(to, 0, sizeof got));
    for (int step = 0; step < steps; step++) {
        struct shape s = {60 + step % 7, 96 - step % 5, 67 + 9 * (step % 7), step % 3};
        dim3 grid(3, 96);

        tell(&s, on_device, step);
        fill<<<grid, 32>>>(from, step);
        fill_here(a, &s, step);
        for (int again = 0; again < 2; again++) {
            smooth<<<grid, 32>>>(to, from);
            smooth<<<grid, 32>>>(from, to);
            smooth_here(b, a, &s);
            smooth_here(a, b, &s);
        }
    }
    CHECK(cudaMemcpy(got, from, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(from));
    CHECK(cudaFree(to));
    CHECK(cudaFree(on_device));
    printf("checksum %08x\n", checksum(got, sizeof got));
    return memcmp(got, a, sizeof got) == 0;
}

int main(void)
{
    bool right = lattice();

    right = shapes(23) && right;
    return verdict("constant_shapes", right);
}
