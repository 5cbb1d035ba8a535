/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A graph of forty small kernels, and its effect on the host. */
#include <cstring>
#include <vector>

#include "check.cuh"

static const int n = 8000, threads = 128, blocks = (n + threads - 1) / threads, nodes = 40;
static __constant__ int step;
static __device__ int offset;
/* Otherwise the variable becomes an array in split launches. */
__device__ int *offset_is_at = &offset;

__global__ void shift(unsigned *to, const unsigned *from, int by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        to[i] = 3 * from[i] + by + step + offset;
}

__global__ void smooth(unsigned *to, const unsigned *from)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        to[i] = from[i ? i - 1 : i] + from[i + 1 < n ? i + 1 : i];
}

__global__ void shift_by(unsigned *to, const unsigned *from, unsigned *other,
                         const int *uses)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        to[i] = 3 * from[i] + *uses;
    if (i < n && *uses)
        other[i] = i;
}

__global__ void set_offset(int to)
{
    offset = to;
}

static unsigned *x, *y; /* unsigned: values may overflow */
static std::vector<unsigned> expected(n), got(n), before(n);
static cudaStream_t stream;

static void check(const char *when)
{
    MUST(cudaMemcpy(got.data(), x, n * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        if (got[i] != expected[i]) {
            printf("%s: element %d is %u, not %u\n", when, i, got[i], expected[i]);
            return;
        }
}

static void shift_on_host(int by)
{
    for (int i = 0; i < n; i++)
        expected[i] = 3 * expected[i] + (unsigned)by;
}

static void smooth_on_host()
{
    before = expected;
    for (int i = 0; i < n; i++)
        expected[i] = before[i ? i - 1 : i] + before[i + 1 < n ? i + 1 : i];
}

/* Half of the nodes compute forwards, half of them backwards. */
static void launch_all(int by)
{
    for (int i = 0; i < nodes; i += 2) {
        shift<<<blocks, threads, 0, stream>>>(y, x, by);
        smooth<<<blocks, threads, 0, stream>>>(x, y);
    }
}

static void all_on_host(int by)
{
    for (int i = 0; i < nodes; i += 2) {
        shift_on_host(by);
        smooth_on_host();
    }
}

static cudaGraph_t captured(int by)
{
    cudaGraph_t graph;

    MUST(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    launch_all(by);
    MUST(cudaStreamEndCapture(stream, &graph));
    return graph;
}

static cudaGraphExec_t made(int by)
{
    cudaGraph_t graph = captured(by);
    cudaGraphExec_t exec;

    MUST(cudaGraphInstantiate(&exec, graph, 0));
    MUST(cudaGraphDestroy(graph));
    return exec;
}

static void launch(cudaGraphExec_t exec, int by, int times)
{
    for (int i = 0; i < times; i++) {
        MUST(cudaGraphLaunch(exec, stream));
        all_on_host(by);
    }
}

struct replay_case {
    const char *name;
    void (*run)();
};

/* Runs the cases named on the command line. */
template <size_t case_count>
static int run_cases(const replay_case (&cases)[case_count], int count, char **names)
{
    MUST(cudaStreamCreate(&stream));
    MUST(cudaMalloc(&x, n * sizeof *x));
    MUST(cudaMalloc(&y, n * sizeof *y));
    for (const replay_case &c : cases)
        for (int i = 1; i < count; i++)
            if (strcmp(c.name, names[i]) == 0) {
                for (int k = 0; k < n; k++)
                    expected[k] = k;
                before = expected;
                MUST(cudaMemcpy(x, expected.data(), n * sizeof(int),
                                cudaMemcpyHostToDevice));
                c.run();
                printf("%s\n", c.name);
            }
    return 0;
}
