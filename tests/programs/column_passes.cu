/* SPDX-License-Identifier: Apache-2.0 */
/* Filters that walk down each column and up again, or along each row and back, with a
   pointer. The end of the first pass is the start of the second one, and the parity of the
   number of rows decides where it ends. One row more would be in another array. */
#include "programs.h"
#include <vector>

__global__ void there_and_back(const int *in, int *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;

    if (x >= width)
        return;
    in += x;
    out += x;
    for (int y = 0; y < height; y++) {
        sum = sum / 2 + *in;
        *out = sum;
        in += width;
        out += width;
    }
    in -= width;
    out -= width;
    sum = *in;
#pragma unroll 2
    for (int y = height - 1; y > -1; y--) {
        sum = sum / 2 + *in;
        *out += sum;
        in -= width;
        out -= width;
    }
}

/* The same, without unrolling on the way down. */
__global__ void there_by_ones(const int *in, int *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;

    if (x >= width)
        return;
    in += x;
    out += x;
#pragma unroll 1
    for (int y = 0; y < height; y++) {
        sum = sum / 2 + *in;
        *out = sum;
        in += width;
        out += width;
    }
    in -= width;
    out -= width;
    sum = *in;
#pragma unroll 2
    for (int y = height - 1; y > -1; y--) {
        sum = sum / 2 + *in;
        *out += sum;
        in -= width;
        out -= width;
    }
}

/* Along each row and back, from the second one on. Rows of one element do nothing, and
   short rows skip the unrolled loop. */
__global__ void along_and_back(int *image, unsigned pitch, unsigned width, unsigned height)
{
    unsigned y = blockIdx.x * blockDim.x + threadIdx.x;

    if (y >= height)
        return;
    int *at = (int *)((char *)image + y * pitch), sum = *at;

    for (unsigned x = 1; x < width; x++) {
        at++;
        *at = sum = sum / 2 + *at;
    }
    for (int x = (int)width - 2; x >= 0; x--) {
        at--;
        *at = sum = sum / 3 - *at;
    }
}

static std::vector<int> expected_rows(std::vector<int> image, int width)
{
    for (size_t row = 0; row < image.size(); row += width) {
        int sum = image[row];

        for (int x = 1; x < width; x++)
            image[row + x] = sum = sum / 2 + image[row + x];
        for (int x = width - 2; x >= 0; x--)
            image[row + x] = sum = sum / 3 - image[row + x];
    }
    return image;
}

static std::vector<int> wanted(const std::vector<int> &in, int width, int height)
{
    std::vector<int> out(in);

    for (int x = 0; x < width; x++) {
        int sum = 0;

        for (int y = 0; y < height; y++)
            out[y * width + x] = sum = sum / 2 + in[y * width + x];
        sum = in[(height - 1) * width + x];
        for (int y = height - 1; y >= 0; y--)
            out[y * width + x] += sum = sum / 2 + in[y * width + x];
    }
    return out;
}

static bool passes(int width, int height)
{
    std::vector<int> in(width * height), got(in);
    unsigned state = 7;
    int *before, *from, *to, *behind;
    bool right = true;

    for (int &x : in)
        x = (int)(next_random(&state) % 1000);
    CHECK(cudaMalloc((void **)&before, in.size() * sizeof(int)));
    CHECK(cudaMalloc((void **)&from, in.size() * sizeof(int)));
    CHECK(cudaMalloc((void **)&to, in.size() * sizeof(int)));
    CHECK(cudaMalloc((void **)&behind, in.size() * sizeof(int)));
    CHECK(cudaMemcpy(from, in.data(), in.size() * sizeof(int), cudaMemcpyHostToDevice));
    for (int by_ones = 0; by_ones < 2; by_ones++) {
        CHECK(cudaMemset(to, 0, in.size() * sizeof(int)));
        (by_ones ? there_by_ones : there_and_back)<<<blocks_for(width, 32), 32>>>(
            from, to, width, height);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(got.data(), to, in.size() * sizeof(int), cudaMemcpyDeviceToHost));
        right &= got == wanted(in, width, height);
        printf("%d by %d: %08x\n", width, height,
               checksum(got.data(), got.size() * sizeof(int)));
    }
    along_and_back<<<blocks_for(width, 32), 32>>>(from, height * sizeof(int), height,
                                                  width);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got.data(), from, in.size() * sizeof(int), cudaMemcpyDeviceToHost));
    right &= got == expected_rows(in, height);
    printf("%d of %d: %08x\n", width, height,
           checksum(got.data(), got.size() * sizeof(int)));
    CHECK(cudaFree(before));
    CHECK(cudaFree(from));
    CHECK(cudaFree(to));
    CHECK(cudaFree(behind));
    return right;
}

int main(void)
{
    bool right = true;

    for (int height : {71, 64, 5, 2, 1})
        right &= passes(130, height);
    return verdict("column_passes", right);
}
