/* SPDX-License-Identifier: Apache-2.0 */
/* Variables of the module: a table that the host fills, an array that one kernel writes and
   the next one reads, and a counter. */
#include "programs.h"

enum { N = 20000, SHADES = 32 };

__constant__ int table[SHADES];
__device__ int shade[N];
__device__ int histogram[SHADES];
__device__ int rounds = 3;

__global__ void paint(int seed)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < N)
        shade[i] = table[(i * 7 + seed) % SHADES] * rounds;
}

__global__ void count(const int *limit)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < N && shade[i] < *limit)
        atomicAdd(&histogram[shade[i] % SHADES], 1);
}

int main(void)
{
    int h[SHADES], bins[SHADES] = {0}, expected[SHADES] = {0}, limit = 1000, start,
                   *d_limit;
    static int got[N];
    void *address;
    size_t size;
    bool right = true;

    for (int i = 0; i < SHADES; i++)
        h[i] = i * i;
    CHECK(cudaMemcpyFromSymbol(&start, rounds, sizeof start));
    CHECK(cudaMemcpyToSymbol(table, h, sizeof h / 2));
    CHECK(cudaMemcpyToSymbol(table, h + SHADES / 2, sizeof h / 2, sizeof h / 2));
    CHECK(cudaGetSymbolAddress(&address, histogram));
    CHECK(cudaGetSymbolSize(&size, histogram));
    CHECK(cudaMemset(address, 0, size));
    CHECK(cudaMalloc(&d_limit, sizeof *d_limit));
    CHECK(cudaMemcpy(d_limit, &limit, sizeof limit, cudaMemcpyHostToDevice));
    for (int seed = 0; seed < 3; seed++) {
        int more = start + seed;

        CHECK(cudaMemcpyToSymbol(rounds, &more, sizeof more));
        paint<<<blocks_for(N, 192), 192>>>(seed);
        count<<<blocks_for(N, 256), 256>>>(d_limit);
        for (int i = 0; i < N; i++) {
            int value = h[(i * 7 + seed) % SHADES] * more;

            if (value < limit)
                expected[value % SHADES]++;
        }
    }
    CHECK(cudaMemcpyFromSymbol(got, shade, sizeof got));
    CHECK(cudaMemcpyFromSymbol(bins, histogram, sizeof bins));
    for (int i = 0; i < N; i++)
        right = right && got[i] == h[(i * 7 + 2) % SHADES] * (start + 2);
    printf("checksum %08x\n", checksum(bins, sizeof bins));
    CHECK(cudaFree(d_limit));
    return verdict("module_variables", right && start == 3 && size == sizeof histogram &&
                                           !memcmp(bins, expected, sizeof bins));
}
