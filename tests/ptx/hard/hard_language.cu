/* SPDX-License-Identifier: Apache-2.0 */
/* Ordinary CUDA C++ for nvcc: templates, calls, switches, local arrays, dynamic shared
   memory, mathematics, printf and textures. */
#include <cassert>
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda_fp16.h>

namespace groups = cooperative_groups;

__constant__ float coefficient[64];
__constant__ int primes[5] = {2, 3, 5, 7, 11};
__device__ int counter;
__device__ const char greeting[] = "bytes \"quoted\", {braced}; // and\n\x01";
__device__ int *counter_address = &counter;
__device__ struct {
    char tag;
    double value;
    const char *name;
} record = {'r', 1.5, greeting + 6};
extern __shared__ float dynamic[];

__device__ __forceinline__ int thread_in_grid()
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

template <class T> struct view {
    T *data;
    size_t pitch;
    __device__ T &operator()(size_t i, size_t j) const
    {
        return data[i * pitch + j];
    }
};

template <class T>
__global__ void product(view<T> C, view<const T> A, view<const T> B, size_t n)
{
    size_t i = blockIdx.y * (size_t)blockDim.y + threadIdx.y;
    size_t j = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    T sum = 0;

    for (size_t k = 0; k < n; k++)
        sum += A(i, k) * B(k, j);
    C(i, j) = sum;
}
template __global__ void product<float>(view<float>, view<const float>, view<const float>,
                                        size_t);
template __global__ void product<double>(view<double>, view<const double>,
                                         view<const double>, size_t);

__device__ __noinline__ float outlined(float x, int k)
{
    return k ? x * coefficient[k & 63] + 1.f : sinf(x);
}

__global__ void calls(float *a, int n)
{
    int i = thread_in_grid();

    if (i < n)
        a[i] = outlined(a[i], i);
}

typedef float unary(float);
__device__ __noinline__ float twice(float x)
{
    return 2 * x;
}
__device__ __noinline__ float thrice(float x)
{
    return 3 * x;
}
__device__ unary *const chosen[2] = {twice, thrice};

__global__ void calls_by_pointer(float *a, unary *handed)
{
    int i = thread_in_grid();

    a[i] = chosen[i & 1](a[i]) + handed(a[i]);
}

__device__ __noinline__ int depth(int n)
{
    return n ? 1 + depth(n / 2) * depth(n / 3) : 0;
}

__global__ void recursion(int *a)
{
    a[threadIdx.x] = depth(a[threadIdx.x]);
}

__global__ void mathematics(float *a, double *d, int n)
{
    int i = thread_in_grid();

    if (i < n) {
        a[i] = expf(a[i]) + sqrtf(a[i]) / logf(a[i]) + powf(a[i], 1.5f) + rsqrtf(a[i]);
        d[i] = exp(d[i]) * sqrt(d[i]) + fabs(d[i]) + cospi(d[i]);
    }
}

__global__ void jump_table(int *a, int n)
{
    int i = thread_in_grid();

    if (i >= n)
        return;
    switch (a[i]) {
    case 0:
        a[i] = 5;
        break;
    case 1:
        a[i] = i;
        break;
    case 2:
        a[i] = i * i;
        break;
    case 3:
        a[i] = i / 3;
        break;
    case 4:
        a[i] = i % 7;
        break;
    case 5:
        a[i] = ~i;
        break;
    case 6:
        a[i] = __popc(i);
        break;
    case 7:
        a[i] = primes[i % 5];
        break;
    default:
        a[i] = __clz(i);
    }
}

__global__ void local_array(float *a, const int *index, int n)
{
    float mine[32], sum = 0;
    int i = thread_in_grid();

    for (int k = 0; k < 32; k++)
        mine[k] = a[i * 32 + k];
    for (int k = 0; k < n; k++)
        sum += mine[index[k] & 31];
    a[i * 32] = sum;
}

__global__ void dynamic_shared(float *a, int n)
{
    int t = threadIdx.x;

    dynamic[t] = a[blockIdx.x * blockDim.x + t];
    __syncthreads();
    a[blockIdx.x * blockDim.x + t] = dynamic[n - 1 - t];
}

__global__ void grid_barrier(float *a, int n)
{
    int i = thread_in_grid();

    a[i] *= 2;
    groups::this_grid().sync();
    a[i] += a[(i + 1) % n];
}

__global__ void group_sum(float *a, float *out)
{
    auto tile = groups::tiled_partition<32>(groups::this_thread_block());
    float sum = a[thread_in_grid()];

    for (int k = tile.size() / 2; k; k /= 2)
        sum += tile.shfl_down(sum, k);
    if (tile.thread_rank() == 0)
        atomicAdd(out, sum);
}

__global__ void halves(__half2 *a, const __half2 *b, __half *c, int n)
{
    int i = thread_in_grid();

    if (i < n) {
        a[i] = __hfma2(a[i], b[i], a[i]);
        c[i] = __float2half(__half2float(c[i]) + 0.5f);
    }
}

__global__ void prints(int *a)
{
    printf("%d %d\n", threadIdx.x, a[threadIdx.x]);
    assert(a[0]);
}

__global__ void texture(cudaTextureObject_t t, float *out, int width)
{
    int x = thread_in_grid(), y = blockIdx.y;

    out[y * width + x] = tex2D<float>(t, x + .5f, y + .5f);
}
