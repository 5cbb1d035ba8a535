/* SPDX-License-Identifier: Apache-2.0 */
/* Exclusive scan of any length: blocks, the scan of their sums, and the addition of
   these. */
#include "programs.h"

enum { THREADS = 128, STRETCH = 2 * THREADS };

__global__ void scan_blocks(const unsigned *in, unsigned *out, unsigned *sums, int n)
{
    extern __shared__ unsigned s[];
    int t = threadIdx.x, first = blockIdx.x * STRETCH, distance = 1;

    s[t] = first + t < n ? in[first + t] : 0;
    s[t + THREADS] = first + t + THREADS < n ? in[first + t + THREADS] : 0;
    for (int d = THREADS; d > 0; d >>= 1) {
        __syncthreads();
        if (t < d)
            s[distance * (2 * t + 2) - 1] += s[distance * (2 * t + 1) - 1];
        distance *= 2;
    }
    if (t == 0) {
        if (sums)
            sums[blockIdx.x] = s[STRETCH - 1];
        s[STRETCH - 1] = 0;
    }
    for (int d = 1; d < STRETCH; d *= 2) {
        distance >>= 1;
        __syncthreads();
        if (t < d) {
            unsigned *left = &s[distance * (2 * t + 1) - 1],
                     *right = &s[distance * (2 * t + 2) - 1], kept = *left;

            *left = *right;
            *right += kept;
        }
    }
    __syncthreads();
    if (first + t < n)
        out[first + t] = s[t];
    if (first + t + THREADS < n)
        out[first + t + THREADS] = s[t + THREADS];
}

__global__ void add_sums(unsigned *out, const unsigned *sums, int n)
{
    int i = blockIdx.x * STRETCH + threadIdx.x;

    if (i < n)
        out[i] += sums[blockIdx.x];
    if (i + THREADS < n)
        out[i + THREADS] += sums[blockIdx.x];
}

static void scan(const unsigned *in, unsigned *out, int n)
{
    int blocks = blocks_for(n, STRETCH);
    unsigned *sums = NULL;

    if (blocks > 1)
        CHECK(cudaMalloc(&sums, blocks * sizeof(unsigned)));
    scan_blocks<<<blocks, THREADS, STRETCH * sizeof(unsigned)>>>(in, out, sums, n);
    CHECK(cudaGetLastError());
    if (blocks > 1) {
        scan(sums, sums, blocks);
        add_sums<<<blocks, THREADS>>>(out, sums, n);
        CHECK(cudaGetLastError());
        CHECK(cudaFree(sums));
    }
}

int main(void)
{
    const int n = 300007;
    unsigned *h = (unsigned *)malloc(n * sizeof *h),
             *got = (unsigned *)malloc(n * sizeof *h), *d_in, *d_out, state = 9, sum = 0;
    bool right = true;

    for (int i = 0; i < n; i++)
        h[i] = next_random(&state) % 1000;
    CHECK(cudaMalloc(&d_in, n * sizeof *h));
    CHECK(cudaMalloc(&d_out, n * sizeof *h));
    CHECK(cudaMemcpy(d_in, h, n * sizeof *h, cudaMemcpyDefault));
    scan(d_in, d_out, n);
    CHECK(cudaMemcpy(got, d_out, n * sizeof *h, cudaMemcpyDefault));
    for (int i = 0; i < n; i++) {
        right = right && got[i] == sum;
        sum += h[i];
    }
    printf("last %u, checksum %08x\n", got[n - 1], checksum(got, n * sizeof *h));
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    free(h);
    free(got);
    return verdict("prefix_sum", right);
}
