/* SPDX-License-Identifier: Apache-2.0 */
/* Events, elapsed times, waits across streams, and host functions in streams. */
#include "check.cuh"

__global__ void spin(int *x, int n, int rounds)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        for (int k = 0; k < rounds; k++)
            x[i] = x[i] * 3 + k;
}

static int noted[2];

static void CUDART_CB look(void *context)
{
    noted[0] = *(int *)context;
}

static void CUDART_CB listen(cudaStream_t, cudaError_t error, void *context)
{
    noted[1] = error == cudaSuccess ? *(int *)context : -1;
}

__global__ void copy_first(const int *x, int *to)
{
    *to = *x;
}

/* An event is recorded again on an idle stream: earlier waits still refer to the first
   record. */
static bool waits_for_the_first_record(int *x, int *to)
{
    cudaStream_t busy, idle, waiting;
    cudaEvent_t event;
    int was = 0, is = 0;

    MUST(cudaStreamCreateWithFlags(&busy, cudaStreamNonBlocking));
    MUST(cudaStreamCreateWithFlags(&idle, cudaStreamNonBlocking));
    MUST(cudaStreamCreateWithFlags(&waiting, cudaStreamNonBlocking));
    MUST(cudaEventCreate(&event));
    MUST(cudaDeviceSynchronize());
    MUST(cudaMemcpy(&was, x, sizeof was, cudaMemcpyDeviceToHost));
    spin<<<1, 32, 0, busy>>>(x, 32, 100000);
    MUST(cudaEventRecord(event, busy));
    MUST(cudaStreamWaitEvent(waiting, event));
    MUST(cudaEventRecord(event, idle));
    MUST(cudaStreamWaitEvent(waiting, event));
    copy_first<<<1, 1, 0, waiting>>>(x, to);
    MUST(cudaDeviceSynchronize());
    MUST(cudaMemcpy(&is, to, sizeof is, cudaMemcpyDeviceToHost));
    MUST(cudaEventDestroy(event));
    MUST(cudaStreamDestroy(busy));
    MUST(cudaStreamDestroy(idle));
    MUST(cudaStreamDestroy(waiting));
    unsigned expected = was;

    for (int k = 0; k < 100000; k++)
        expected = expected * 3 + k;
    return expected == (unsigned)is;
}

int main()
{
    const int n = 20000;
    int *x, *copy, seven = 7, least, greatest;
    cudaStream_t one, two;
    cudaEvent_t begin, middle, end, plain;
    float first = 0, second = 0, both = 0;

    MUST(cudaMalloc(&x, n * sizeof *x));
    MUST(cudaMalloc(&copy, n * sizeof *copy));
    MUST(cudaMemset(x, 0, n * sizeof *x));
    MUST(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    MUST(cudaStreamCreate(&one));
    MUST(cudaStreamCreateWithPriority(&two, cudaStreamNonBlocking, greatest));
    MUST(cudaEventCreate(&begin));
    MUST(cudaEventCreate(&middle));
    MUST(cudaEventCreateWithFlags(&end, cudaEventDefault));
    MUST(cudaEventCreateWithFlags(&plain, cudaEventDisableTiming));
    MUST(cudaEventRecord(begin, one));
    spin<<<n / 100, 100, 0, one>>>(x, n, 10);
    MUST(cudaEventRecord(middle, one));
    MUST(cudaEventRecord(plain, one));
    MUST(cudaStreamWaitEvent(two, plain, 0));
    spin<<<n / 100, 100, 0, two>>>(x, n, 1000);
    MUST(cudaMemcpyAsync(copy, x, n * sizeof *x, cudaMemcpyDeviceToDevice, two));
    MUST(cudaEventRecord(end, two));
    while (cudaEventQuery(end) == cudaErrorNotReady)
        ;
    MUST(cudaEventSynchronize(end));
    MUST(cudaStreamQuery(one));
    MUST(cudaEventElapsedTime(&first, begin, middle));
    MUST(cudaEventElapsedTime(&second, middle, end));
    MUST(cudaEventElapsedTime(&both, begin, end));
    HOLDS(first > 0 && second > 0); /* a first launch is mostly preparation */
    HOLDS(both > first + second - 1e-3f && both < first + second + 1e-3f);
    HOLDS(cudaEventElapsedTime(&both, begin, plain) == cudaErrorInvalidResourceHandle);
    HOLDS(cudaGetLastError() == cudaErrorInvalidResourceHandle);
    MUST(cudaLaunchHostFunc(one, look, &seven));
    MUST(cudaStreamAddCallback(one, listen, &seven, 0));
    MUST(cudaStreamSynchronize(one));
    HOLDS(noted[0] == 7 && noted[1] == 7);
    MUST(cudaEventDestroy(begin));
    MUST(cudaEventDestroy(middle));
    MUST(cudaEventDestroy(end));
    MUST(cudaEventDestroy(plain));
    cudaStreamAttrValue policy = {}, got_policy = {};

    policy.syncPolicy = cudaSyncPolicyYield;
    MUST(cudaStreamSetAttribute(one, cudaStreamAttributeSynchronizationPolicy, &policy));
    MUST(cudaStreamCopyAttributes(two, one));
    MUST(cudaStreamGetAttribute(two, cudaStreamAttributeSynchronizationPolicy,
                                &got_policy));
    HOLDS(got_policy.syncPolicy == cudaSyncPolicyYield);
    MUST(cudaStreamGetAttribute(0, cudaStreamAttributeSynchronizationPolicy, &got_policy));
    HOLDS(got_policy.syncPolicy != cudaSyncPolicyYield);
    HOLDS(cudaStreamSetAttribute(one, cudaLaunchAttributeCooperative, &policy) ==
          cudaErrorInvalidValue);
    HOLDS(cudaGetLastError() == cudaErrorInvalidValue);
    MUST(cudaStreamDestroy(one));
    MUST(cudaStreamDestroy(two));
    MUST(cudaMemcpy(&seven, copy, sizeof seven, cudaMemcpyDeviceToHost));
    for (int k = 0; k < 3; k++)
        HOLDS(waits_for_the_first_record(x, copy));
    printf("events: %d\n", seven);
    return 0;
}
