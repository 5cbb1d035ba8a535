/* SPDX-License-Identifier: Apache-2.0 */
/* Launches with programmatic dependent launch: a field is diffused and scaled in turns.
   Each launch allows the next one to begin, prepares its work, and waits for the one before
   it before it reads. The sequence runs once as calls and once as a graph. */
#include "programs.h"

enum { CELLS = 40000, THREADS = 256, STEPS = 6 };

__global__ void spread(const float *in, float *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int left = i ? i - 1 : 0, right = i < n - 1 ? i + 1 : n - 1;

    cudaTriggerProgrammaticLaunchCompletion();
    cudaGridDependencySynchronize();
    if (i < n)
        out[i] = 0.25f * in[left] + 0.5f * in[i] + 0.25f * in[right];
}

__global__ void scale(float *field, float by, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    cudaGridDependencySynchronize();
    if (i < n)
        field[i] *= by;
    cudaTriggerProgrammaticLaunchCompletion();
}

static void step(float *from, float *to, cudaStream_t stream)
{
    cudaLaunchAttribute early = {};
    cudaLaunchConfig_t config = {};

    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    config.gridDim = blocks_for(CELLS, THREADS);
    config.blockDim = THREADS;
    config.stream = stream;
    config.attrs = &early;
    config.numAttrs = 1;
    CHECK(cudaLaunchKernelEx(&config, spread, (const float *)from, to, (int)CELLS));
    CHECK(cudaLaunchKernelEx(&config, scale, to, 1.25f, (int)CELLS));
}

static void walk(float *a, float *b, cudaStream_t stream)
{
    for (int s = 0; s < STEPS; s += 2) {
        step(a, b, stream);
        step(b, a, stream);
    }
}

/* Reference with fused multiply-add, as on the device. */
static void expect(float *a, float *b)
{
    for (int s = 0; s < STEPS; s++) {
        for (int i = 0; i < CELLS; i++) {
            const float left = a[i ? i - 1 : 0], right = a[i < CELLS - 1 ? i + 1 : i];

            b[i] = 1.25f * fmaf(0.25f, right, fmaf(0.25f, left, 0.5f * a[i]));
        }
        memcpy(a, b, CELLS * sizeof *a);
    }
}

int main(void)
{
    static float start[CELLS], now[CELLS], is[CELLS], other[CELLS];
    float *a, *b;
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    unsigned state = 9;
    bool right = true;

    for (float &x : start)
        x = (float)(next_random(&state) % 64);
    CHECK(cudaMalloc(&a, sizeof start));
    CHECK(cudaMalloc(&b, sizeof start));
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    walk(a, b, stream);
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaMemcpy(a, start, sizeof start, cudaMemcpyHostToDevice));
    memcpy(is, start, sizeof is);
    for (int round = 0; round < 5; round++) {
        expect(is, other);
        if (round % 4 == 0)
            walk(a, b, stream);
        else
            CHECK(cudaGraphLaunch(exec, stream));
        CHECK(cudaStreamSynchronize(stream));
        CHECK(cudaMemcpy(now, a, sizeof now, cudaMemcpyDeviceToHost));
        for (int i = 0; i < CELLS; i++)
            right &= fabsf(now[i] - is[i]) <= 1e-5f * fabsf(is[i]);
        printf("checksum %08x\n", checksum(now, sizeof now));
    }
    return verdict("chained_launches", right);
}
