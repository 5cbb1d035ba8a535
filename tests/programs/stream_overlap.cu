/* SPDX-License-Identifier: Apache-2.0 */
/* Chunks of an array are copied to the device, processed and copied back in separate
   streams; events order a last kernel after them all. */
#include "programs.h"

enum { STREAMS = 4, CHUNK = 50000, N = STREAMS * CHUNK };

__global__ void work(int *data, int first, int count, int rounds)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < count) {
        unsigned v = data[first + i];

        for (int k = 0; k < rounds; k++)
            v = v * 69069u + 1u;
        data[first + i] = v;
    }
}

__global__ void fold(const int *data, int *out, int n, int chunks)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int all = 0;

    if (i >= n)
        return;
    for (int c = 0; c < chunks; c++)
        all ^= data[c * n + i];
    out[i] = all;
}

int main(void)
{
    int *h, *folded, *d, *d_folded;
    bool right = true;
    cudaStream_t stream[STREAMS], last;
    cudaEvent_t done[STREAMS];

    CHECK(cudaMallocHost(&h, N * sizeof(int)));
    CHECK(cudaMallocHost(&folded, CHUNK * sizeof(int)));
    CHECK(cudaMalloc(&d, N * sizeof(int)));
    CHECK(cudaMalloc(&d_folded, CHUNK * sizeof(int)));
    CHECK(cudaStreamCreateWithFlags(&last, cudaStreamNonBlocking));
    for (int i = 0; i < N; i++)
        h[i] = i;
    for (int s = 0; s < STREAMS; s++) {
        int first = s * CHUNK;

        CHECK(cudaStreamCreate(&stream[s]));
        CHECK(cudaEventCreateWithFlags(&done[s], cudaEventDisableTiming));
        CHECK(cudaMemcpyAsync(d + first, h + first, CHUNK * sizeof(int),
                              cudaMemcpyHostToDevice, stream[s]));
        work<<<blocks_for(CHUNK, 256), 256, 0, stream[s]>>>(d, first, CHUNK, 20 + s);
        CHECK(cudaMemcpyAsync(h + first, d + first, CHUNK * sizeof(int),
                              cudaMemcpyDeviceToHost, stream[s]));
        CHECK(cudaEventRecord(done[s], stream[s]));
        CHECK(cudaStreamWaitEvent(last, done[s], 0));
    }
    fold<<<blocks_for(CHUNK, 128), 128, 0, last>>>(d, d_folded, CHUNK, STREAMS);
    CHECK(cudaMemcpyAsync(folded, d_folded, CHUNK * sizeof(int), cudaMemcpyDeviceToHost,
                          last));
    CHECK(cudaStreamSynchronize(last));
    for (int i = 0; i < CHUNK; i++) {
        int all = 0;

        for (int s = 0; s < STREAMS; s++) {
            unsigned v = s * CHUNK + i;

            for (int k = 0; k < 20 + s; k++)
                v = v * 69069u + 1u;
            right = right && h[s * CHUNK + i] == (int)v;
            all ^= (int)v;
        }
        right = right && folded[i] == all;
    }
    printf("checksum %08x\n", checksum(folded, CHUNK * sizeof(int)));
    for (int s = 0; s < STREAMS; s++) {
        CHECK(cudaEventQuery(done[s]));
        CHECK(cudaEventDestroy(done[s]));
        CHECK(cudaStreamDestroy(stream[s]));
    }
    CHECK(cudaStreamDestroy(last));
    CHECK(cudaFreeHost(h));
    CHECK(cudaFreeHost(folded));
    CHECK(cudaFree(d));
    CHECK(cudaFree(d_folded));
    return verdict("stream_overlap", right);
}
