/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that compute with the bits of addresses: addresses of a block by masks, as memory
   tests do, and alignment from the low bits. */
#include "programs.h"
#include <stdint.h>
#include <vector>

enum { BLOCKS = 5, BITS = 20, ROW = 1000, THREADS = 64 };
static const size_t BLOCK = (size_t)1 << BITS;

/* Writes a word at the start of each block and at each address that differs from it in one
   bit. */
__global__ void mark_by_bits(char *memory)
{
    char *block = memory + blockIdx.x * BLOCK;
    unsigned bit = 2 + threadIdx.x;

    if (bit < BITS)
        *(int *)((uintptr_t)block | (uintptr_t)1 << bit) = (int)(blockIdx.x + 1);
}

static bool marks_are_right(const char *memory, const std::vector<char> &found)
{
    std::vector<char> wanted(found.size(), 0);

    for (int b = 0; b < BLOCKS; b++)
        for (unsigned bit = 2; bit < BITS; bit++) {
            uintptr_t at = (uintptr_t)(memory + b * BLOCK) | (uintptr_t)1 << bit;

            *(int *)&wanted[at - (uintptr_t)memory] = b + 1;
        }
    return wanted == found;
}

/* Rows begin at odd addresses: elements before the first multiple of 16 bytes are written
   one by one. */
__global__ void fill_rows(short *rows, int pitch)
{
    short *row = rows + blockIdx.x * pitch;
    int head = (int)((16 - ((uintptr_t)row & 15)) / sizeof *row) & 7;
    short *body = (short *)(((uintptr_t)row + 15) & ~(uintptr_t)15);

    if (threadIdx.x < head)
        row[threadIdx.x] = (short)blockIdx.x;
    for (int i = threadIdx.x; i < ROW / 4; i += blockDim.x)
        ((short4 *)body)[i] = {1, 2, 3, (short)blockIdx.x};
}

int main(void)
{
    const size_t bytes = BLOCKS * BLOCK, pitch = ROW + 15;
    std::vector<char> found(bytes);
    std::vector<short> rows(300 * pitch);
    bool right = true;
    char *memory;
    short *out;

    CHECK(cudaMalloc(&memory, bytes + BLOCK)); /* the last block may be moved up */
    CHECK(cudaMemset(memory, 0, bytes));
    CHECK(cudaMalloc(&out, rows.size() * sizeof rows[0]));
    CHECK(cudaMemset(out, 0, rows.size() * sizeof rows[0]));
    mark_by_bits<<<BLOCKS, THREADS>>>(memory);
    CHECK(cudaMemcpy(found.data(), memory, bytes, cudaMemcpyDeviceToHost));
    right &= marks_are_right(memory, found);
    for (int round = 0; round < 2; round++)
        fill_rows<<<300, THREADS>>>(out, (int)pitch);
    CHECK(cudaMemcpy(rows.data(), out, rows.size() * sizeof rows[0],
                     cudaMemcpyDeviceToHost));
    printf("rows %08x\n", checksum(rows.data(), rows.size() * sizeof rows[0]));
    CHECK(cudaFree(memory));
    CHECK(cudaFree(out));
    return verdict("address_masks", right);
}
