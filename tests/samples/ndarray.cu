/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays that contain their shape, passed by value: with a stride for each dimension
   (AMGE), and with the row length only. */
#include "sample.h"

template <class T, int D> struct strided {
    T *data;
    int dim[D], stride[D]; /* in elements, slowest dimension first */

    __device__ __forceinline__ T &operator()(int i, int j) const
    {
        return data[(long)i * stride[0] + (long)j * stride[1]];
    }
    __device__ __forceinline__ T &operator()(int i, int j, int k) const
    {
        return data[(long)i * stride[0] + (long)j * stride[1] + (long)k * stride[2]];
    }
};

struct matrix {
    float *data;
    int rows, columns;

    __device__ __forceinline__ float &operator()(int i, int j) const
    {
        return data[i * columns + j];
    }
};

typedef strided<float, 2> strided2;
typedef strided<float, 3> strided3;

KERNEL(nd_jacobi, strided2 in, strided2 out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x,
        j = blockIdx.y * blockDim.y + threadIdx.y;

    if (i > 0 && i < in.dim[1] - 1 && j > 0 && j < in.dim[0] - 1)
        STORE(0, out(j, i),
              0.25f * (in(j, i - 1) + in(j, i + 1) + in(j - 1, i) + in(j + 1, i)));
    DONE();
}

/* CTAs of 16 x 16 threads; every dimension is a multiple of 16. */
KERNEL(nd_sgemm, strided2 C, strided2 A, strided2 B)
{
    __shared__ float a[16][16], b[16][16];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    float sum = 0;

    for (int k = 0; k < A.dim[1]; k += 16) {
        a[ty][tx] = A(row, k + tx);
        b[ty][tx] = B(k + ty, col);
        __syncthreads();
        for (int j = 0; j < 16; j++)
            sum += a[ty][j] * b[j][tx];
        __syncthreads();
    }
    STORE(0, C(row, col), sum);
    DONE();
}

KERNEL(nd_stencil3d, strided3 in, strided3 out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x,
        j = blockIdx.y * blockDim.y + threadIdx.y;

    if (i >= 1 && i < in.dim[2] - 1 && j >= 1 && j < in.dim[1] - 1)
        for (int k = 1; k < in.dim[0] - 1; k++)
            STORE(0, out(k, j, i),
                  in(k - 1, j, i) + in(k + 1, j, i) + in(k, j - 1, i) + in(k, j + 1, i) +
                      in(k, j, i - 1) + in(k, j, i + 1) - 6.f * in(k, j, i));
    DONE();
}

KERNEL(nd2_transpose, matrix out, matrix in)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x,
        y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < in.columns && y < in.rows)
        STORE(0, out(x, y), in(y, x));
    DONE();
}

/* Rows in blocks, columns block-cyclic over the CTAs. */
KERNEL(nd2_blockcyclic, matrix out, matrix in)
{
    int y = blockIdx.y * blockDim.y + threadIdx.y;

    if (y < in.rows)
        for (int x = blockIdx.x * blockDim.x + threadIdx.x; x < in.columns;
             x += gridDim.x * blockDim.x)
            STORE(0, out(y, x), 2.f * in(y, x));
    DONE();
}

/* One CTA for each row, rows cyclic over the CTAs. */
KERNEL(nd2_cyclic_row, matrix out, matrix in)
{
    for (int y = blockIdx.x; y < in.rows; y += gridDim.x)
        for (int x = threadIdx.x; x < in.columns; x += blockDim.x)
            STORE(0, out(y, x), 2.f * in(y, x));
    DONE();
}
