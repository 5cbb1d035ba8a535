/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel that waits for a word of the host. The host writes the word after it has queued
   more work: launches, a graph, and queries, from the second iteration on. No call may wait
   for the device in between. */
#include "programs.h"

enum { N = 4096, THREADS = 64, ROUNDS = 9, BATCH = 12 };

__global__ void hold(const volatile int *word)
{
    while (!*word)
        ;
}

__global__ void step(int *out, int *more)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;

    out[i] += i;
    if (more)
        more[i] += out[i];
}

/* First launched when no module can be loaded. */
__global__ void late_step(int *out)
{
    out[blockIdx.x * THREADS + threadIdx.x] += 3;
}

__device__ static int stride;

__global__ void set_stride(int to)
{
    stride = to;
}

__global__ void by_variable(int *out)
{
    out[(blockIdx.x * THREADS + threadIdx.x) * stride]++;
}

struct blocked {
    int *out, *more, *counts;
    volatile int *word;
    cudaStream_t stream;
    cudaGraphExec_t graph;
};

static void record(struct blocked *h)
{
    cudaGraph_t graph;

    CHECK(cudaStreamBeginCapture(h->stream, cudaStreamCaptureModeGlobal));
    for (int n = 0; n < 3; n++)
        step<<<N / THREADS, THREADS, 0, h->stream>>>(h->out, NULL);
    CHECK(cudaStreamEndCapture(h->stream, &graph));
    CHECK(cudaGraphInstantiate(&h->graph, graph, 0));
    CHECK(cudaGraphDestroy(graph));
}

/* Queues work after the waiting kernel; returns the number of additional steps of `out`. */
static int queue(const struct blocked *h, int round)
{
    const int batch = round % 3 == 2 ? BATCH : 1;

    for (int n = 0; n < batch; n++)
        step<<<N / THREADS, THREADS, 0, h->stream>>>(h->out, round > 4 ? h->more : NULL);
    for (int n = 0; n < 2; n++)
        CHECK(cudaGraphLaunch(h->graph, h->stream));
    if (round > 2)
        late_step<<<N / THREADS, THREADS, 0, h->stream>>>(h->more);
    set_stride<<<1, 1, 0, h->stream>>>(1 + round % 2);
    by_variable<<<N / 2 / THREADS, THREADS, 0, h->stream>>>(h->counts);
    return batch + 6;
}

static bool is_right(const struct blocked *h, int steps)
{
    static int out[N], more[N], counts[N];
    int counted = 0;

    CHECK(cudaMemcpy(out, h->out, sizeof out, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(more, h->more, sizeof more, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(counts, h->counts, sizeof counts, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++) {
        if (out[i] != steps * i)
            return false;
        counted += counts[i];
    }
    printf("checksum %08x %08x\n", checksum(more, sizeof more),
           checksum(counts, sizeof counts));
    return counted == ROUNDS * N / 2;
}

int main(void)
{
    struct blocked h;
    int *word, steps = 0;

    CHECK(cudaStreamCreateWithFlags(&h.stream, cudaStreamNonBlocking));
    CHECK(cudaMalloc(&h.out, N * sizeof(int)));
    CHECK(cudaMalloc(&h.more, N * sizeof(int)));
    CHECK(cudaMalloc(&h.counts, N * sizeof(int)));
    CHECK(cudaMallocHost(&word, sizeof *word));
    CHECK(cudaMemset(h.out, 0, N * sizeof(int)));
    CHECK(cudaMemset(h.more, 0, N * sizeof(int)));
    CHECK(cudaMemset(h.counts, 0, N * sizeof(int)));
    h.word = word;
    record(&h);
    for (int round = 0; round < ROUNDS; round++) {
        *h.word = round == 0;
        hold<<<1, 1, 0, h.stream>>>(h.word);
        steps += queue(&h, round);
        if (round > 0 && cudaStreamQuery(h.stream) != cudaErrorNotReady)
            return verdict("blocked_launches", false);
        *h.word = 1;
        CHECK(cudaStreamSynchronize(h.stream));
        CHECK(cudaStreamQuery(h.stream));
    }
    const bool right = is_right(&h, steps);

    CHECK(cudaGraphExecDestroy(h.graph));
    CHECK(cudaStreamDestroy(h.stream));
    CHECK(cudaFreeHost(word));
    CHECK(cudaFree(h.out));
    CHECK(cudaFree(h.more));
    CHECK(cudaFree(h.counts));
    return verdict("blocked_launches", right);
}
