/* SPDX-License-Identifier: Apache-2.0 */

/* Small annotated kernels for every arrangement of chunks, CTAs and devices. */

#include <proact/device.h>

typedef unsigned u32;

static __device__ inline u32 linear(const struct proact_partition *partition)
{
    return proact_cta_x(partition) * proact_cta_size_x() + proact_thread_x();
}

/* Reads the neighbours' values of the previous launch, so that missing transfers show. */
extern "C" __global__ void step(const u32 *in, u32 *out, u32 n,
                                struct proact_partition partition)
{
    u32 i = linear(&partition);

    if (i < n) {
        u32 left = in[i ? i - 1 : n - 1], right = in[i + 1 < n ? i + 1 : 0];
        u32 far = in[(u32)((i * 2654435761u) % n)];

        proact_store(&partition, 0, &out[i], left * 3 + in[i] + right * 5 + far + 1);
    }
    proact_done(&partition);
}

/* In place: each CTA reads and writes its own words. */
extern "C" __global__ void twist(u32 *x, u32 n, struct proact_partition partition)
{
    u32 i = linear(&partition);

    if (i < n)
        proact_store(&partition, 0, &x[i], x[i] * 1664525u + 1013904223u);
    proact_done(&partition);
}

/* CTA c writes ranges of its own width, `ctas` ranges apart, so every chunk has many
   writers. */
extern "C" __global__ void comb(const u32 *in, u32 *out, u32 n,
                                struct proact_partition partition)
{
    u32 width = proact_cta_size_x(), stride = width * proact_grid_x(&partition);

    for (u32 i = linear(&partition); i < n; i += stride)
        proact_store(&partition, 0, &out[i], in[n - 1 - i] ^ i);
    proact_done(&partition);
}

/* Bytes in ranges of odd length, which test the ends of transfers. */
extern "C" __global__ void bytes(const u32 *in, unsigned char *out, u32 run, u32 n,
                                 struct proact_partition partition)
{
    u32 first = proact_cta_x(&partition) * run;

    for (u32 i = proact_thread_x(); i < run && first + i < n; i += proact_cta_size_x())
        proact_store(&partition, 0, &out[first + i], in[(first + i) % 97] + i);
    proact_done(&partition);
}

/* Two arrays whose maps have another order than the arguments. */
extern "C" __global__ void pair(const u32 *in, u32 *low, u32 *high, u32 n,
                                struct proact_partition partition)
{
    u32 i = linear(&partition);

    if (i < n) {
        proact_store(&partition, 1, &low[i], in[i] * 7);
        proact_store(&partition, 0, &high[n - 1 - i], in[n - 1 - i] + i);
    }
    proact_done(&partition);
}

/* A matrix by tiles, with a two-dimensional grid of two-dimensional CTAs. */
extern "C" __global__ void tiles(const u32 *in, u32 *out, u32 width, u32 height,
                                 struct proact_partition partition)
{
    u32 x = proact_cta_x(&partition) * proact_cta_size_x() + proact_thread_x();
    u32 y = proact_cta_y(&partition) * proact_cta_size_y() + proact_thread_y();

    if (x < width && y < height)
        proact_store(&partition, 0, &out[y * width + x],
                     in[x % height * width + y % width] + proact_grid_y(&partition));
    proact_done(&partition);
}

/* CTAs from `forgets` on do not call proact_done(). */
extern "C" __global__ void forget(u32 *out, u32 n, u32 forgets,
                                  struct proact_partition partition)
{
    u32 i = linear(&partition);

    if (i < n)
        proact_store(&partition, 0, &out[i], i);
    if (proact_cta_x(&partition) < forgets)
        proact_done(&partition);
}

/* Writes one element more than its map declares. */
extern "C" __global__ void outside(u32 *out, u32 n, struct proact_partition partition)
{
    u32 i = linear(&partition);

    if (i < n)
        proact_store(&partition, 0, &out[i], i);
    if (i == 0)
        out[n] = 1;
    proact_done(&partition);
}

/* A plain kernel for device 0 only. */
extern "C" __global__ void alone(u32 *x, u32 n)
{
    for (u32 i = proact_thread_x(); i < n; i += proact_cta_size_x())
        x[i] = x[i] * 5 + 2;
}

/* Writes far outside its array. */
extern "C" __global__ void wild(u32 *x, struct proact_partition partition)
{
    x[1ull << 40] = 1;
    proact_done(&partition);
}
