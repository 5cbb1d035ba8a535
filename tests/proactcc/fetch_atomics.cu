/* SPDX-License-Identifier: Apache-2.0 */
/* CTAs communicate within a launch through value-returning atomics. Usage: fetch_atomics
   KERNEL. A missing or misplaced fence is a race. */
#include <cooperative_groups.h>
#include <cstdio>
#include <cstring>

#include "check.cuh"

enum { CTAS = 40, THREADS = 64, N = CTAS * THREADS };

__device__ unsigned taken;

static __device__ int own()
{
    return blockIdx.x * THREADS + threadIdx.x;
}

/* One thread increments the counter. Returns whether this CTA is the last one. */
static __device__ bool draw()
{
    return atomicInc(&taken, gridDim.x - 1) == gridDim.x - 1;
}

/* Executed by all threads of the last CTA. */
static __device__ void add_up(const int *parts, int count, int *out)
{
    int sum = 0;

    for (int i = threadIdx.x; i < count; i += THREADS)
        sum += parts[i];
    atomicAdd(out, sum);
}

enum fence { NONE, NARROW, GPU, SYSTEM };

static __device__ void fence(enum fence how)
{
    if (how == NARROW)
        __threadfence_block();
    if (how == GPU)
        __threadfence();
    if (how == SYSTEM)
        __threadfence_system();
}

/* One thread writes, fences and increments. */
static __device__ void leader_draws(const int *in, int *parts, int *out, enum fence how)
{
    __shared__ bool is_last;

    if (threadIdx.x == 0) {
        parts[blockIdx.x] = in[own()];
        fence(how);
        is_last = draw();
    }
    __syncthreads();
    if (is_last)
        add_up(parts, CTAS, out);
}

__global__ void leader(const int *in, int *parts, int *out)
{
    leader_draws(in, parts, out, GPU);
}

__global__ void unfenced(const int *in, int *parts, int *out)
{
    leader_draws(in, parts, out, NONE);
}

__global__ void fences_narrowly(const int *in, int *parts, int *out)
{
    leader_draws(in, parts, out, NARROW);
}

/* All threads write; the fences differ by case. */
static __device__ void all_write(const int *in, int *parts, int *out, enum fence ahead,
                                 enum fence behind, enum fence leaders)
{
    __shared__ bool is_last;

    fence(ahead);
    parts[own()] = in[own()];
    fence(behind);
    __syncthreads();
    if (threadIdx.x == 0) {
        fence(leaders);
        is_last = draw();
    }
    __syncthreads();
    if (is_last)
        add_up(parts, N, out);
}

__global__ void each_fences(const int *in, int *parts, int *out)
{
    all_write(in, parts, out, NONE, GPU, NONE);
}

__global__ void leader_fences(const int *in, int *parts, int *out)
{
    all_write(in, parts, out, NONE, NONE, GPU);
}

__global__ void all_fence(const int *in, int *parts, int *out)
{
    all_write(in, parts, out, GPU, SYSTEM, SYSTEM);
}

__global__ void fences_early(const int *in, int *parts, int *out)
{
    all_write(in, parts, out, GPU, NONE, NONE);
}

/* The first CTA sets a flag, and others wait for it. */
static __device__ void raise(const int *in, int *parts, int *out, enum fence writers)
{
    volatile int *flag = parts + N - 1;

    if (threadIdx.x > 0 || blockIdx.x > 3)
        return;
    if (blockIdx.x == 0) {
        parts[0] = in[5];
        fence(writers);
        *flag = 1;
        return;
    }
    while (!*flag)
        ;
    __threadfence();
    out[blockIdx.x] = parts[0];
}

__global__ void waits_volatile(const int *in, int *parts, int *out)
{
    raise(in, parts, out, GPU);
}

__global__ void unfenced_flag(const int *in, int *parts, int *out)
{
    raise(in, parts, out, NONE);
}

/* Volatile data needs no fence. */
__global__ void reads_volatile(const int *in, int *parts, int *out)
{
    volatile int *now = parts;

    now[own()] = in[own()];
    out[own()] = now[(own() + N / 2) % N];
}

static __device__ void around(const int *in, int *parts, int *out, bool both)
{
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();

    for (int round = 0; round < 3; round++) {
        parts[own()] = in[own()] + round;
        grid.sync();
        out[own()] = parts[(own() + N / 2) % N];
        if (both)
            grid.sync();
    }
}

__global__ void grid_barriers(const int *in, int *parts, int *out)
{
    around(in, parts, out, true);
}

__global__ void grid_barrier_missing(const int *in, int *parts, int *out)
{
    around(in, parts, out, false);
}

static __device__ void locked(const int *in, int *parts, int *out, enum fence how)
{
    if (threadIdx.x > 0)
        return;
    while (atomicCAS(&taken, 0, 1))
        ;
    *out += in[blockIdx.x] + parts[0];
    fence(how);
    atomicExch(&taken, 0);
}

__global__ void lock(const int *in, int *parts, int *out)
{
    locked(in, parts, out, GPU);
}

__global__ void unfenced_lock(const int *in, int *parts, int *out)
{
    locked(in, parts, out, NONE);
}

/* More CTAs than are resident: the end of one CTA before the start of another is no
   order. */
__global__ void late(const int *in, int *parts, int *out)
{
    if (threadIdx.x == 0)
        parts[blockIdx.x] = in[blockIdx.x];
    if (threadIdx.x == 0 && blockIdx.x == gridDim.x - 1)
        out[0] = parts[0];
}

/* The counter is on another device: the last CTA is determined there, not in order of
   requests. The launch is split, and the CTAs' order varies. */
static __device__ void draw_far(const int *in, int *parts, int *out, bool fences)
{
    const unsigned last = gridDim.x - 1;
    const unsigned wait = (blockIdx.x * 2654435761u + in[0]) * 2246822519u >> 22;

    if (threadIdx.x > 0)
        return;
    for (unsigned k = 0; k < wait; k++)
        asm volatile("");
    parts[blockIdx.x] = in[blockIdx.x];
    if (fences)
        __threadfence();
    if (atomicInc((unsigned *)out, last) == last)
        for (unsigned k = 0; k <= last; k++)
            if (parts[k] != in[0])
                __trap();
}

__global__ void far(const int *in, int *parts, int *out)
{
    draw_far(in, parts, out, true);
}

__global__ void unfenced_far(const int *in, int *parts, int *out)
{
    draw_far(in, parts, out, false);
}

static const struct {
    const char *name;
    void (*run)(const int *in, int *parts, int *out);
    int ctas, threads;
} kernels[] = {{"leader", leader},
               {"unfenced", unfenced},
               {"fences_narrowly", fences_narrowly},
               {"each_fences", each_fences},
               {"leader_fences", leader_fences},
               {"all_fence", all_fence},
               {"fences_early", fences_early},
               {"waits_volatile", waits_volatile},
               {"unfenced_flag", unfenced_flag},
               {"reads_volatile", reads_volatile},
               {"grid_barriers", grid_barriers},
               {"grid_barrier_missing", grid_barrier_missing},
               {"lock", lock},
               {"unfenced_lock", unfenced_lock},
               {"late", late, 600, 1024},
               {"far", far, 8, 32},
               {"unfenced_far", unfenced_far, 8, 32}};

int main(int argc, char **argv)
{
    int *in, *parts, *out;
    void *args[] = {&in, &parts, &out};

    MUST(cudaMalloc(&in, N * sizeof(int)));
    MUST(cudaMalloc(&parts, N * sizeof(int)));
    MUST(cudaMalloc(&out, N * sizeof(int)));
    MUST(cudaMemset(out, 0, N * sizeof(int)));
    for (const auto &k : kernels)
        for (int round = 0; argc == 2 && round < 24; round++)
            if (!strcmp(argv[1], k.name)) {
                cudaMemset(in, round, N * sizeof(int));
                cudaMemset(parts, 0, N * sizeof(int));
                if (k.ctas)
                    cudaLaunchKernel(k.run, k.ctas, k.threads, args, 0, nullptr);
                else
                    cudaLaunchCooperativeKernel(k.run, CTAS, THREADS, args, 0, nullptr);
            }
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
