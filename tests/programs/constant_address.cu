/* SPDX-License-Identifier: Apache-2.0 */
/* A constant table that the host sets first and a kernel changes afterwards, by its
   address. */
#include "programs.h"

enum { N = 40000, TONES = 64, ROUNDS = 5 };

__constant__ int tones[TONES];

__global__ void tint(int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < N)
        out[i] = i * tones[i % TONES];
}

__global__ void tune(int *table, int by)
{
    table[threadIdx.x] += by * threadIdx.x;
}

int main(void)
{
    static int got[N];
    int h[TONES], *out, *table, wrong = 0;

    for (int i = 0; i < TONES; i++)
        h[i] = 3 * i + 1;
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMemcpyToSymbol(tones, h, sizeof h));
    CHECK(cudaGetSymbolAddress((void **)&table, tones));
    for (int round = 0; round < ROUNDS; round++) {
        tint<<<blocks_for(N, 128), 128>>>(out);
        CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
        for (int i = 0; i < N; i++)
            wrong += got[i] != i * h[i % TONES];
        tune<<<1, TONES>>>(table, round + 2);
        for (int i = 0; i < TONES; i++)
            h[i] += (round + 2) * i;
    }
    printf("checksum %08x\n", checksum(got, sizeof got));
    CHECK(cudaFree(out));
    return verdict("constant_address", wrong == 0);
}
