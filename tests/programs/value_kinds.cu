/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds of numbers in a field: one bit for each kind in one word, and in another word
   whether any occurred. */
#include "programs.h"

enum { LOW = 1, HIGH = 2, ZERO = 4, FAR = 8 };

__global__ void note_kinds(const float *field, float *scaled, unsigned *noted, int *state,
                           int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    float value = field[i];

    scaled[i] = 2 * value;
    if (value < 0)
        atomicOr(noted, LOW);
    if (value > 0)
        atomicOr(noted, HIGH);
    if (value == 0) {
        atomicOr(noted, ZERO);
        atomicCAS(state, 0, 7);
    }
    if (value > 1000)
        atomicOr(noted, FAR);
}

int main()
{
    const int n = 1 << 16;
    float *host = (float *)malloc(n * sizeof *host), *field, *scaled;
    unsigned *noted, kinds, rounds = 0;
    int *state, came;
    bool right = true;

    CHECK(cudaMalloc(&field, n * sizeof *field));
    CHECK(cudaMalloc(&scaled, n * sizeof *scaled));
    CHECK(cudaMalloc(&noted, sizeof *noted));
    CHECK(cudaMalloc(&state, sizeof *state));
    for (unsigned round = 0; round < 8; round++) {
        unsigned is = 0, random = round;

        for (int i = 0; i < n; i++) {
            int value = (int)(next_random(&random) % 64) + 1;

            host[i] = round & 1 && i > n / 2 ? (float)-value : (float)value;
            if (round & 2 && i == n / 3)
                host[i] = 0;
            if (round & 4 && i == n - 1)
                host[i] = 2000;
            is |= host[i] < 0 ? LOW : host[i] > 0 ? HIGH : ZERO;
            is |= host[i] > 1000 ? FAR : 0;
        }
        CHECK(cudaMemcpy(field, host, n * sizeof *host, cudaMemcpyHostToDevice));
        CHECK(cudaMemset(noted, 0, sizeof *noted));
        CHECK(cudaMemset(state, 0, sizeof *state));
        note_kinds<<<blocks_for(n, 256), 256>>>(field, scaled, noted, state, n);
        CHECK(cudaMemcpy(&kinds, noted, sizeof *noted, cudaMemcpyDeviceToHost));
        CHECK(cudaMemcpy(&came, state, sizeof *state, cudaMemcpyDeviceToHost));
        right &= kinds == is && came == (round & 2 ? 7 : 0);
        rounds = 16 * rounds + kinds;
    }
    CHECK(cudaMemcpy(host, scaled, n * sizeof *host, cudaMemcpyDeviceToHost));
    printf("%08x %08x\n", rounds, checksum(host, n * sizeof *host));
    return verdict("value_kinds", right);
}
