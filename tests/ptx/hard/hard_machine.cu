/* SPDX-License-Identifier: Apache-2.0 */
/* Machine-level operations for nvcc: votes, atomics and fences of every scope, volatile and
   cached loads, inline assembly, tensor cores, asynchronous copies and CUB. */
#include <cub/cub.cuh>
#include <cuda/atomic>
#include <cuda_pipeline.h>
#include <mma.h>

__device__ int flag;

__global__ void votes(int *a, unsigned *out)
{
    int t = threadIdx.x;
    unsigned positive = __ballot_sync(~0u, a[t] > 0);

    if ((t & 31) == 0)
        out[t / 32] = positive + __popc(positive);
    int same = __match_any_sync(~0u, a[t]);

    a[t] = same + __any_sync(~0u, same) + __all_sync(__activemask(), same);
#if __CUDA_ARCH__ >= 800
    a[t] += __reduce_add_sync(~0u, same);
#endif
}

__global__ void exchanges(unsigned long long *p, double value)
{
    unsigned long long old = *p, seen;

    do {
        seen = old;
        old = atomicCAS(p, seen, __double_as_longlong(value + __longlong_as_double(seen)));
    } while (seen != old);
    __threadfence();
    atomicExch(&flag, 1);
    atomicAdd_system(&flag, 2);
    atomicInc((unsigned *)&flag, 9);
    atomicAdd((double *)p + 1, value);
    __threadfence_system();
    __threadfence_block();
}

__global__ void orders(cuda::atomic<int, cuda::thread_scope_system> *a, int *data)
{
    if (threadIdx.x == 0)
        while (a->load(cuda::memory_order_acquire) == 0)
            __nanosleep(40);
    __syncthreads();
    data[threadIdx.x]++;
    a->fetch_sub(1, cuda::memory_order_acq_rel);
    a[1].store(1, cuda::memory_order_release);
    a[2].store(1, cuda::memory_order_seq_cst);
}

__global__ void spins(volatile int *until, int *data)
{
    if (threadIdx.x == 0)
        while (*until == 0)
            ;
    __syncthreads();
    data[threadIdx.x] = __ldcg(data + threadIdx.x) + __ldg(data + threadIdx.x + 32);
    __stcs(data + threadIdx.x + 64, __ldlu(data + threadIdx.x + 96));
}

__global__ void assembly(int *a, float *f, long long *clock)
{
    int t = threadIdx.x, lane;
    unsigned lo = a[t], hi = a[t + 32], mixed;

    asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
    asm("{ .reg .pred p; .reg .b32 tmp;\n\t"
        "setp.ne.s32 p, %1, 0; // a comment; of the author's\n\t"
        "@p add.s32 tmp, %1, 0x10U; @!p mov.b32 tmp, 0b101;\n\t"
        "add.cc.u32 %0, tmp, %2; addc.u32 %0, %0, 017; }"
        : "=r"(mixed)
        : "r"(lo), "r"(hi));
    asm("{ .reg .pred p; setp.gt.u32 p, %1, 3; @p bra END; mul.hi.u32 %0, %1, %2; END: }"
        : "+r"(mixed)
        : "r"(lo), "r"(hi));
    a[t] = __byte_perm(mixed, lo, 0x5410) + __funnelshift_l(lo, hi, lane) + __brev(hi) +
           __dp4a(lo, hi, mixed) + __ffs(lo) + min(lane, 7);
    f[t] = __fmaf_rz(f[t], 1e-30f, __int_as_float(0x7f800000)) + __sinf(f[t]) +
           __saturatef(f[t]);
    clock[t] = clock64();
    __trap();
}

__global__ void rows_of_pointers(float **rows)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;

    rows[blockIdx.y][j] = j;
}

__global__ void flat_grid(float *a, int n, int width)
{
    int cta = blockIdx.y * gridDim.x + blockIdx.x, i = cta * blockDim.x + threadIdx.x;

    if (i < n)
        a[i / width * width * 2 + i % width] = 1.f;
}

__global__ void __launch_bounds__(256, 2) constant_pitch(float (*a)[1024], float (*b)[1024])
{
    int i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x;

    b[j][i] = a[i][j];
}

__global__ void swizzle(float *a, const float *b, int n, int tiles)
{
    int x = blockIdx.x % tiles * 32 + (threadIdx.x & 31);
    int y = blockIdx.x / tiles * 8 + (threadIdx.x >> 5);

    a[y * n + x] = b[x * n + y];
}

using namespace nvcuda;

__global__ void tensor(const half *a, const half *b, float *c, int n)
{
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> A;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> B;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> C;

    wmma::fill_fragment(C, 0.f);
    for (int k = 0; k < n; k += 16) {
        wmma::load_matrix_sync(A, a + blockIdx.y * 16 * n + k, n);
        wmma::load_matrix_sync(B, b + blockIdx.x * 16 * n + k, n);
        wmma::mma_sync(C, A, B, C);
    }
    wmma::store_matrix_sync(c + blockIdx.y * 16 * n + blockIdx.x * 16, C, n,
                            wmma::mem_row_major);
}

__global__ void asynchronous(const float *a, float *out)
{
    __shared__ float s[256];
    int t = threadIdx.x;

    __pipeline_memcpy_async(&s[t], &a[blockIdx.x * 256 + t], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[blockIdx.x * 256 + t] = s[255 - t];
}

__global__ void block_sum(const int *a, int *out)
{
    using reduction = cub::BlockReduce<int, 128>;
    __shared__ typename reduction::TempStorage scratch;
    int sum = reduction(scratch).Sum(a[blockIdx.x * 128 + threadIdx.x]);

    if (!threadIdx.x)
        out[blockIdx.x] = sum;
}

__global__ void block_scan(int *a)
{
    using scan = cub::BlockScan<int, 128>;
    __shared__ typename scan::TempStorage scratch;
    int value = a[blockIdx.x * 128 + threadIdx.x];

    scan(scratch).ExclusiveSum(value, value);
    a[blockIdx.x * 128 + threadIdx.x] = value;
}

__global__ void block_sort(int *a)
{
    using sort = cub::BlockRadixSort<int, 128, 4>;
    __shared__ typename sort::TempStorage scratch;
    int value[4];

    for (int i = 0; i < 4; i++)
        value[i] = a[blockIdx.x * 512 + threadIdx.x * 4 + i];
    sort(scratch).Sort(value);
    for (int i = 0; i < 4; i++)
        a[blockIdx.x * 512 + threadIdx.x * 4 + i] = value[i];
}
