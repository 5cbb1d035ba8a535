/* SPDX-License-Identifier: Apache-2.0 */
/* Floating-point sums by atomics: a scalar product, one partial sum for each block; weights
   by bin; and forces of springs on the points at both ends. All values are integers or
   halves, so the order is invisible. */
#include "programs.h"

enum { BINS = 300, THREADS = 128 };

__global__ void dot(const float *a, const float *b, double *sum, int n)
{
    __shared__ double part[THREADS];
    double mine = 0;

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        mine += (double)a[i] * b[i];
    part[threadIdx.x] = mine;
    for (int half = THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
    }
    if (threadIdx.x == 0)
        atomicAdd(sum, part[0]);
}

__global__ void weigh(const int *bin, const float *weight, float *total, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        atomicAdd(&total[bin[i]], weight[i]);
}

struct spring {
    int from, to;
};

__global__ void pull(const struct spring *springs, const float *at, float *force, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    struct spring s = springs[i];
    float f = 0.5f * (at[s.to] - at[s.from]);

    atomicAdd(&force[s.from], f);
    atomicAdd(&force[s.to], -f);
}

__global__ void move(float *at, const float *force, int points)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < points)
        at[i] += truncf(force[i] / 32);
}

static void *copied(const void *from, size_t bytes)
{
    void *to;

    CHECK(cudaMalloc(&to, bytes));
    CHECK(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice));
    return to;
}

int main(void)
{
    const int n = 50000, points = 4000, rounds = 5;
    float *a = (float *)malloc(n * sizeof(float)), *b = (float *)malloc(n * sizeof(float));
    int *bin = (int *)malloc(n * sizeof(int));
    struct spring *springs = (struct spring *)malloc(n * sizeof *springs);
    unsigned state = 11;
    double sum = 0, expected = 0;
    static float total[BINS], weights[BINS], at[4000], force[4000];

    for (int i = 0; i < n; i++) {
        a[i] = (float)(next_random(&state) % 64) - 32;
        b[i] = (float)(next_random(&state) % 64) - 20;
        bin[i] = (int)(next_random(&state) % BINS);
        springs[i].from = (int)(next_random(&state) % points);
        springs[i].to = (int)(next_random(&state) % points);
        expected += (double)a[i] * b[i];
        weights[bin[i]] += a[i];
    }
    for (int i = 0; i < points; i++)
        at[i] = (float)(i % 97);
    float *d_a = (float *)copied(a, n * sizeof(float)),
          *d_b = (float *)copied(b, n * sizeof(float)),
          *d_total = (float *)copied(total, sizeof total),
          *d_at = (float *)copied(at, sizeof at),
          *d_force = (float *)copied(force, sizeof force);
    int *d_bin = (int *)copied(bin, n * sizeof(int));
    struct spring *d_springs = (struct spring *)copied(springs, n * sizeof *springs);
    double *d_sum = (double *)copied(&sum, sizeof sum);

    dot<<<60, THREADS>>>(d_a, d_b, d_sum, n);
    CHECK(cudaMemcpy(&sum, d_sum, sizeof sum, cudaMemcpyDeviceToHost));
    weigh<<<(n + 255) / 256, 256>>>(d_bin, d_a, d_total, n);
    CHECK(cudaMemcpy(total, d_total, sizeof total, cudaMemcpyDeviceToHost));
    for (int i = 0; i < BINS; i++)
        if (total[i] != weights[i])
            return printf("bin %d: %g, not %g\n", i, total[i], weights[i]);
    for (int round = 0; round < rounds; round++) {
        CHECK(cudaMemset(d_force, 0, points * sizeof(float)));
        pull<<<(n + 127) / 128, 128>>>(d_springs, d_at, d_force, n);
        move<<<(points + 127) / 128, 128>>>(d_at, d_force, points);
    }
    CHECK(cudaMemcpy(at, d_at, sizeof at, cudaMemcpyDeviceToHost));
    printf("%.1f, expected %.1f; %08x\n", sum, expected, checksum(at, sizeof at));
    return sum != expected;
}
