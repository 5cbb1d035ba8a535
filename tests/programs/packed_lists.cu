/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of one kind packed into a list: each CTA reserves space with an atomic and
   broadcasts the result in shared memory. The order of CTAs is undefined, so sums are
   compared. A second kernel packs a row for each thread, with a pointer that advances. */
#include "programs.h"

enum { ITEMS = 20000, THREADS = 128, WIDTH = 16, ROWS = 1152 };

__global__ void pack(const unsigned *in, unsigned *list, unsigned *length, int n)
{
    __shared__ unsigned taken;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned place = 0;
    bool is_kept = i < n && in[i] % 3 == 0;

    if (threadIdx.x == 0)
        taken = 0;
    __syncthreads();
    if (is_kept)
        place = atomicAdd(&taken, 1);
    __syncthreads();
    if (threadIdx.x == 0)
        taken = atomicAdd(length, taken); /* from now on the start of the CTA's part */
    __syncthreads();
    if (is_kept)
        list[taken + place] = in[i];
}

__global__ void pack_rows(const unsigned *in, unsigned *list, unsigned *length, int width)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned *to = list + row * width;

    for (int i = 0; i < width; i++)
        if (in[row * width + i] % 5 < 2) {
            to[0] = in[row * width + i];
            to++;
        }
    length[row] = to - (list + row * width);
}

__global__ void scale(unsigned *list, unsigned by, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        list[i] *= by;
}

int main(void)
{
    static unsigned in[ITEMS], list[ITEMS];
    static unsigned lengths[ROWS];
    unsigned *d_in, *d_list, *d_length, length, kept = 0, sum = 0, right = 0, state = 6;
    unsigned *d_lengths;
    bool are_right = true;

    for (unsigned &i : in) {
        i = next_random(&state);
        if (i % 3 == 0) {
            kept++;
            right += 5 * i;
        }
    }
    CHECK(cudaMalloc(&d_in, sizeof in));
    CHECK(cudaMalloc(&d_list, sizeof list));
    CHECK(cudaMalloc(&d_length, sizeof length));
    CHECK(cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(d_length, 0, sizeof length));
    pack<<<blocks_for(ITEMS, THREADS), THREADS>>>(d_in, d_list, d_length, ITEMS);
    CHECK(cudaMemcpy(&length, d_length, sizeof length, cudaMemcpyDeviceToHost));
    scale<<<blocks_for(length, THREADS), THREADS>>>(d_list, 5, length);
    CHECK(cudaMemcpy(list, d_list, length * sizeof *list, cudaMemcpyDeviceToHost));
    for (unsigned i = 0; i < length; i++)
        sum += list[i];
    printf("%u kept, sum %08x\n", length, sum);
    CHECK(cudaMemset(d_list, 0, sizeof list));
    CHECK(cudaMalloc(&d_lengths, sizeof lengths));
    pack_rows<<<ROWS / THREADS, THREADS>>>(d_in, d_list, d_lengths, WIDTH);
    CHECK(cudaMemcpy(list, d_list, sizeof list, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(lengths, d_lengths, sizeof lengths, cudaMemcpyDeviceToHost));
    for (int row = 0; row < ROWS; row++) {
        unsigned n = 0;

        for (int i = row * WIDTH; i < (row + 1) * WIDTH; i++)
            if (in[i] % 5 < 2)
                are_right &= list[row * WIDTH + n++] == in[i];
        are_right &= lengths[row] == n;
    }
    printf("checksum %08x\n", checksum(list, sizeof list));
    for (unsigned *d : {d_in, d_list, d_length, d_lengths})
        CHECK(cudaFree(d));
    return verdict("packed_lists", length == kept && sum == right && are_right);
}
