/* SPDX-License-Identifier: Apache-2.0 */
/* Atomics on data of one CTA: the warps of a row add to its sum, and selected elements get
   positions from the CTA's own counter. No other CTA uses either in the same launch. In the
   next iteration each row belongs to another CTA and device, which continues from there.
   All values are small integers, so every order gives the same result. */
#include "programs.h"

enum { ROWS = 96, WIDTH = 300, THREADS = 128, ROUNDS = 3 };

__global__ void add_rows(const float *in, float *sum, int turned)
{
    const int row = turned ? gridDim.x - 1 - blockIdx.x : blockIdx.x;
    float mine = 0;

    for (int i = threadIdx.x; i < WIDTH; i += blockDim.x)
        mine += in[row * WIDTH + i];
    for (int by = 16; by; by /= 2)
        mine += __shfl_down_sync(~0u, mine, by);
    if (threadIdx.x % 32 == 0)
        atomicAdd(&sum[row], mine);
}

__global__ void pack_rows(const float *in, float *list, unsigned *length, int turned)
{
    const int row = turned ? gridDim.x - 1 - blockIdx.x : blockIdx.x;

    for (int i = threadIdx.x; i < WIDTH; i += blockDim.x) {
        const float is = in[row * WIDTH + i];

        if (is > 2)
            list[row * ROUNDS * WIDTH + atomicAdd(&length[row], 1)] = is;
    }
}

static void *zeros(size_t bytes)
{
    void *to;

    CHECK(cudaMalloc(&to, bytes));
    CHECK(cudaMemset(to, 0, bytes));
    return to;
}

int main(void)
{
    static float in[ROWS * WIDTH], sum[ROWS], list[ROWS * ROUNDS * WIDTH];
    static unsigned length[ROWS];
    float *d_in = (float *)zeros(sizeof in), *d_sum = (float *)zeros(sizeof sum),
          *d_list = (float *)zeros(sizeof list), rows[ROWS] = {0}, packed[ROWS] = {0};
    unsigned *d_length = (unsigned *)zeros(sizeof length), state = 3, kept[ROWS] = {0};
    bool right = true;

    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < ROWS * WIDTH; i++) {
            in[i] = (float)(next_random(&state) % 7) - 2;
            rows[i / WIDTH] += in[i];
            packed[i / WIDTH] += in[i] > 2 ? in[i] : 0;
            kept[i / WIDTH] += in[i] > 2;
        }
        CHECK(cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice));
        add_rows<<<ROWS, THREADS>>>(d_in, d_sum, round % 2);
        pack_rows<<<ROWS, THREADS>>>(d_in, d_list, d_length, round % 2);
    }
    CHECK(cudaMemcpy(sum, d_sum, sizeof sum, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(list, d_list, sizeof list, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(length, d_length, sizeof length, cudaMemcpyDeviceToHost));
    for (int r = 0; r < ROWS; r++) {
        float all = 0;

        for (unsigned i = 0; i < length[r]; i++)
            all += list[r * ROUNDS * WIDTH + i];
        right &= sum[r] == rows[r] && length[r] == kept[r] && all == packed[r];
    }
    printf("checksum %08x\n", checksum(sum, sizeof sum));
    printf("checksum %08x\n", checksum(length, sizeof length));
    return verdict("own_atomics", right);
}
