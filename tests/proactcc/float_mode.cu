/* SPDX-License-Identifier: Apache-2.0 */
/* A program whose host code rounds downwards, flushes denormals and traps overflows.
   Kernels do not use that mode, and leave it unchanged. */
#include "check.cuh"
#include <cfenv>
#include <cstring>
#include <xmmintrin.h>

const int count = 4096;

__global__ void divide(const float *by, float *out, float *sums)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    out[i] = 1.0f / by[i];
    atomicAdd(&sums[i], 0.7f);
}

/* The store address depends on the rounding of 0.1f + 1.0f. */
__global__ void place(float *at, float step)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int shift = step + 1.0f < 1.1f;

    at[(i + shift) % count] = i;
}

static unsigned bits(float f)
{
    unsigned u;

    memcpy(&u, &f, sizeof u);
    return u;
}

int main()
{
    const float first[] = {3.0f, 0.0f, 5e-39f, 1e38f, 19.0f};
    float *by, *out, *sums, host[count];
    const int raised = FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW;

    MUST(cudaMalloc(&by, sizeof host));
    MUST(cudaMalloc(&out, sizeof host));
    MUST(cudaMalloc(&sums, sizeof host));
    for (int i = 0; i < count; i++)
        host[i] = i < 5 ? first[i] : 3.0f;
    MUST(cudaMemcpy(by, host, sizeof host, cudaMemcpyHostToDevice));
    MUST(cudaMemset(sums, 0, sizeof host));

    feclearexcept(FE_ALL_EXCEPT);
    fesetround(FE_DOWNWARD);
    feenableexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW);
    _mm_setcsr(_mm_getcsr() | 0x8040);
    unsigned mode = _mm_getcsr();
    for (int n = 0; n < 3; n++)
        divide<<<count / 128, 128>>>(by, out, sums);
    MUST(cudaDeviceSynchronize());
    MUST(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    unsigned now = _mm_getcsr();
    bool is_raised = fetestexcept(raised), is_downward = fegetround() == FE_DOWNWARD;
    printf("mode %s, %s, %s\n", (mode ^ now) & ~FE_ALL_EXCEPT ? "changed" : "kept",
           is_raised ? "raised" : "nothing raised",
           is_downward ? "downward" : "not downward");
    for (int i = 0; i < 5; i++)
        printf("%08x ", bits(host[i]));
    MUST(cudaMemcpy(host, sums, sizeof host, cudaMemcpyDeviceToHost));
    printf("sum %08x\n", bits(host[1]));
    place<<<count / 128, 128>>>(out, 0.1f);
    MUST(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    int right = 0;
    for (int i = 0; i < count; i++)
        right += host[i] == i;
    printf("%d at their places\n", right);
    return 0;
}
