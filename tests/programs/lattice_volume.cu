/* SPDX-License-Identifier: Apache-2.0 */
/* Flow in a box by the lattice Boltzmann method with 19 directions, one array each, as in
   codes for one GPU. A second kernel computes sums over all directions, with more arrays
   than one kernel may write. */
#include "programs.h"

enum { WIDE = 24, HIGH = 16, DEEP = 20, CELLS = WIDE * HIGH * DEEP, WAYS = 19, STEPS = 5 };

struct lattice {
    float *way[WAYS];
};

struct sums {
    float *worth[WAYS];
    int *count, *place;
};

/* The directions: none, along the axes, along two axes. */
__host__ __device__ constexpr int along_x(int w)
{
    constexpr int s[WAYS] = {0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1, 0, 0, 0, 0};

    return s[w];
}

__host__ __device__ constexpr int along_y(int w)
{
    constexpr int s[WAYS] = {0, 0, 0, 1, -1, 0, 0, 1, -1, -1, 1, 0, 0, 0, 0, 1, -1, 1, -1};

    return s[w];
}

__host__ __device__ constexpr int along_z(int w)
{
    constexpr int s[WAYS] = {0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, -1, -1, 1, 1, -1, -1, 1};

    return s[w];
}

__host__ __device__ static int around(int at, int end)
{
    return at < 0 ? at + end : at >= end ? at - end : at;
}

/* Origin of the particles that arrive in a cell in one direction. */
__host__ __device__ static int before(int x, int y, int z, int w)
{
    x = around(x - along_x(w), WIDE);
    y = around(y - along_y(w), HIGH);
    z = around(z - along_z(w), DEEP);
    return (z * HIGH + y) * WIDE + x;
}

__global__ void flow(struct lattice from, struct lattice to, float omega)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, z = blockIdx.z;
    const int at = (z * HIGH + y) * WIDE + x;
    float f[WAYS], all = 0;

    if (x >= WIDE)
        return;
#pragma unroll
    for (int w = 0; w < WAYS; w++)
        all += f[w] = from.way[w][before(x, y, z, w)];
#pragma unroll
    for (int w = 0; w < WAYS; w++)
        to.way[w][at] = f[w] + omega * (all * (1.0f / 32) - f[w]);
}

__global__ void weigh(struct lattice from, struct sums s)
{
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    int count = 0;

    if (at >= CELLS)
        return;
#pragma unroll
    for (int w = 0; w < WAYS; w++) {
        const float f = from.way[w][at];

        s.worth[w][at] = f * f;
        count += f > 1;
    }
    s.count[at] = count;
    s.place[at] = at;
}

static void flow_here(float (*from)[CELLS], float (*to)[CELLS], float omega)
{
    for (int at = 0; at < CELLS; at++) {
        float f[WAYS], all = 0;

        for (int w = 0; w < WAYS; w++)
            all += f[w] = from[w][before(at % WIDE, at / WIDE % HIGH, at / WIDE / HIGH, w)];
        for (int w = 0; w < WAYS; w++)
            to[w][at] = f[w] + omega * (all * (1.0f / 32) - f[w]);
    }
}

int main(void)
{
    static float expected[2][WAYS][CELLS], got[CELLS];
    struct lattice at[2];
    struct sums sums;
    unsigned state = 19;
    bool right = true;
    const size_t bytes = sizeof got;

    for (int w = 0; w < WAYS; w++) {
        for (float &f : expected[0][w])
            f = (float)(next_random(&state) % 64) / 32;
        CHECK(cudaMalloc(&at[0].way[w], bytes));
        CHECK(cudaMalloc(&at[1].way[w], bytes));
        CHECK(cudaMalloc(&sums.worth[w], bytes));
        CHECK(cudaMemcpy(at[0].way[w], expected[0][w], bytes, cudaMemcpyHostToDevice));
    }
    CHECK(cudaMalloc(&sums.count, bytes));
    CHECK(cudaMalloc(&sums.place, bytes));
    for (int n = 0; n < STEPS; n++) {
        flow<<<dim3(1, HIGH, DEEP), 32>>>(at[n % 2], at[1 - n % 2], 0.5f);
        flow_here(expected[n % 2], expected[1 - n % 2], 0.5f);
    }
    weigh<<<blocks_for(CELLS, 128), 128>>>(at[STEPS % 2], sums);
    for (int w = 0; w < WAYS; w++) {
        CHECK(cudaMemcpy(got, at[STEPS % 2].way[w], bytes, cudaMemcpyDeviceToHost));
        printf("way %d: %08x\n", w, checksum(got, bytes));
        for (int c = 0; c < CELLS; c++) {
            const float by = got[c] - expected[STEPS % 2][w][c];

            right &= by < 1e-4f && by > -1e-4f;
        }
        CHECK(cudaMemcpy(got, sums.worth[w], bytes, cudaMemcpyDeviceToHost));
        printf("worth %08x\n", checksum(got, bytes));
    }
    CHECK(cudaMemcpy(got, sums.count, bytes, cudaMemcpyDeviceToHost));
    printf("count %08x\n", checksum(got, bytes));
    CHECK(cudaMemcpy(got, sums.place, bytes, cudaMemcpyDeviceToHost));
    printf("place %08x\n", checksum(got, bytes));
    return verdict("lattice_volume", right);
}
