/* SPDX-License-Identifier: Apache-2.0 */
/* Streams of a program: each stream is ordered, events order streams, and the default
   stream is ordered with all. */
#include <stdio.h>

#include "check.cuh"

enum { STREAMS = 24, PART = 3000, N = STREAMS * PART, ROUNDS = 5 };

__global__ void add(int *p, int n, int what)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        p[i] += what;
}

__global__ void gather(const int *from, int *to, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        to[i] = from[n - 1 - i];
}

static int *host, *back, *device, *other;
static cudaStream_t stream[STREAMS];

static int blocks(int n)
{
    return (n + 127) / 128;
}

/* More streams than proact provides; each part is copied, processed and copied back. */
static void parts_go_through(void)
{
    bool right = true;

    for (int i = 0; i < N; i++)
        host[i] = i;
    for (int round = 0; round < ROUNDS; round++)
        for (int s = 0; s < STREAMS; s++) {
            int at = s * PART;

            MUST(cudaMemcpyAsync(device + at, host + at, PART * 4, cudaMemcpyHostToDevice,
                                 stream[s]));
            add<<<blocks(PART), 128, 0, stream[s]>>>(device + at, PART, s + round);
            MUST(cudaMemcpyAsync(back + at, device + at, PART * 4, cudaMemcpyDeviceToHost,
                                 stream[s]));
        }
    for (int s = 0; s < STREAMS; s++) {
        MUST(cudaStreamSynchronize(stream[s]));
        for (int i = s * PART; i < (s + 1) * PART; i++)
            right = right && back[i] == i + s + ROUNDS - 1;
    }
    printf("parts: %s\n", right ? "right" : "wrong");
}

/* Streams process each other's results in both directions, with new events each time. */
static void events_order_streams(void)
{
    MUST(cudaMemset(device, 0, N * 4));
    for (int round = 0; round < ROUNDS; round++) {
        cudaEvent_t there, back_again;

        MUST(cudaEventCreateWithFlags(&there, cudaEventDisableTiming));
        MUST(cudaEventCreate(&back_again));
        add<<<blocks(N), 128, 0, stream[1]>>>(device, N, 1);
        MUST(cudaEventRecord(there, stream[1]));
        MUST(cudaStreamWaitEvent(stream[2], there, 0));
        gather<<<blocks(N), 128, 0, stream[2]>>>(device, other, N);
        MUST(cudaEventRecord(back_again, stream[2]));
        MUST(cudaStreamWaitEvent(stream[1], back_again, 0));
        if (round % 2)
            MUST(cudaEventSynchronize(back_again));
        MUST(cudaEventDestroy(there));
        MUST(cudaEventDestroy(back_again));
    }
    MUST(cudaMemcpy(back, other, N * 4, cudaMemcpyDeviceToHost));
    bool right = true;

    for (int i = 0; i < N; i++)
        right = right && back[i] == ROUNDS;
    printf("events: %s\n", right ? "right" : "wrong");
}

/* The default stream waits for all others, and they wait for it. */
static void the_default_stream_comes_between(void)
{
    MUST(cudaMemsetAsync(device, 0, N * 4, stream[3]));
    for (int round = 0; round < ROUNDS; round++) {
        add<<<blocks(N), 128, 0, stream[3]>>>(device, N, 1);
        add<<<blocks(N), 128>>>(device, N, 10);
        add<<<blocks(N), 128, 0, stream[4]>>>(device, N, 100);
        gather<<<blocks(N), 128>>>(device, other, N);
    }
    MUST(cudaMemcpyAsync(back, other, N * 4, cudaMemcpyDeviceToHost, stream[5]));
    while (cudaStreamQuery(stream[5]) == cudaErrorNotReady)
        ;
    bool right = true;

    for (int i = 0; i < N; i++)
        right = right && back[i] == 111 * ROUNDS;
    printf("default: %s\n", right ? "right" : "wrong");
}

static void look(void *context)
{
    printf("called: %d\n", *(int *)context);
}

static void the_host_is_called_in_turn(void)
{
    MUST(cudaMemsetAsync(device, 0, 4, stream[6]));
    add<<<1, 32, 0, stream[6]>>>(device, 1, 42);
    MUST(cudaMemcpyAsync(back, device, 4, cudaMemcpyDeviceToHost, stream[6]));
    MUST(cudaLaunchHostFunc(stream[6], look, back));
    MUST(cudaStreamSynchronize(stream[6]));
}

/* Registered memory is copied as one block; the parts that streams wrote are preserved. */
static void registered_memory_is_of_no_stream(void)
{
    static int own[STREAMS * 100];
    int *noted;
    bool right = true;

    MUST(cudaHostRegister(own, sizeof own, cudaHostRegisterMapped));
    MUST(cudaHostGetDevicePointer((void **)&noted, own, 0));
    for (int s = 0; s < STREAMS; s++)
        add<<<1, 128, 0, stream[s]>>>(noted + s * 100, 100, s + 1);
    for (int s = 0; s < STREAMS; s++)
        MUST(cudaStreamSynchronize(stream[s]));
    for (int i = 0; i < STREAMS * 100; i++)
        right = right && own[i] == i / 100 + 1;
    MUST(cudaHostUnregister(own));
    printf("registered: %s\n", right ? "right" : "wrong");
}

int main(void)
{
    MUST(cudaMallocHost(&host, N * 4));
    MUST(cudaMallocHost(&back, N * 4));
    MUST(cudaMalloc(&device, N * 4));
    MUST(cudaMalloc(&other, N * 4));
    for (int s = 0; s < STREAMS; s++)
        MUST(cudaStreamCreateWithFlags(&stream[s],
                                       s < 12 ? cudaStreamDefault : cudaStreamNonBlocking));
    parts_go_through();
    events_order_streams();
    the_default_stream_comes_between();
    the_host_is_called_in_turn();
    registered_memory_is_of_no_stream();
    for (int s = 0; s < STREAMS; s++)
        MUST(cudaStreamDestroy(stream[s]));
    MUST(cudaDeviceSynchronize());
    return 0;
}
