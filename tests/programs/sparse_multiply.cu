/* SPDX-License-Identifier: Apache-2.0 */
/* y = A x on compressed rows, several times, with one thread and with one warp for each
   row; in unsigned integers, so that the order does not matter. */
#include "programs.h"
#include <vector>

struct Csr {
    const int *row, *column;
    const unsigned *value;
    int rows;
};

__global__ void spmv_scalar(Csr a, const unsigned *x, unsigned *y)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;

    if (r < a.rows) {
        unsigned sum = 0;

        for (int i = a.row[r]; i < a.row[r + 1]; i++)
            sum += a.value[i] * x[a.column[i]];
        y[r] = sum;
    }
}

__global__ void spmv_vector(Csr a, const unsigned *x, unsigned *y)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    unsigned sum = 0;

    if (warp >= a.rows)
        return;
    for (int i = a.row[warp] + lane; i < a.row[warp + 1]; i += 32)
        sum += a.value[i] * x[a.column[i]];
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (lane == 0)
        y[warp] = sum;
}

template <class T> static T *on_device(const std::vector<T> &v)
{
    T *d;

    CHECK(cudaMalloc(&d, v.size() * sizeof(T)));
    CHECK(cudaMemcpy(d, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
    return d;
}

int main(void)
{
    const int rows = 8000, rounds = 4;
    std::vector<int> row(1, 0), column;
    std::vector<unsigned> value, x(rows), y(rows), got(rows);
    unsigned state = 4;

    for (int r = 0; r < rows; r++) {
        for (int left = next_random(&state) % 40; left > 0; left--) {
            column.push_back(next_random(&state) % rows);
            value.push_back(next_random(&state));
        }
        row.push_back((int)column.size());
        x[r] = r + 1;
    }
    int *d_row = on_device(row), *d_column = on_device(column);
    unsigned *d_value = on_device(value), *d_x = on_device(x), *d_y = on_device(y);
    Csr a = {d_row, d_column, d_value, rows};

    for (int k = 0; k < rounds; k++) {
        if (k % 2)
            spmv_vector<<<blocks_for(rows, 4), 128>>>(a, d_x, d_y);
        else
            spmv_scalar<<<blocks_for(rows, 128), 128>>>(a, d_x, d_y);
        CHECK(cudaMemcpy(d_x, d_y, rows * sizeof(unsigned), cudaMemcpyDeviceToDevice));
        for (int r = 0; r < rows; r++) {
            y[r] = 0;
            for (int i = row[r]; i < row[r + 1]; i++)
                y[r] += value[i] * x[column[i]];
        }
        x = y;
    }
    CHECK(cudaMemcpy(got.data(), d_y, rows * sizeof(unsigned), cudaMemcpyDeviceToHost));
    printf("%zu entries, checksum %08x\n", value.size(),
           checksum(got.data(), rows * sizeof(unsigned)));
    for (void *p :
         {(void *)d_row, (void *)d_column, (void *)d_value, (void *)d_x, (void *)d_y})
        CHECK(cudaFree(p));
    return verdict("sparse_multiply", got == y);
}
