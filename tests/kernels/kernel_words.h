/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* CUDA keywords and built-ins for a plain clang, which compiles these kernels without a
   toolkit; nvcc has them. */

#define KERNEL(name, ...) extern "C" __global__ void name(__VA_ARGS__)
#define WORD static __device__ __forceinline__

#if defined(__clang__) && !defined(__NVCC__)

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
/* Not clang's built-in: clang 14 moves loads of __shared__ before that one. */
#define __syncthreads() asm volatile("bar.sync 0;" ::: "memory")

/* A value that is read on use: `threadIdx.x` becomes one special register. */
#define AXIS(NAME, OF, D)                                                                  \
    struct NAME##_##D {                                                                    \
        __device__ __forceinline__ operator unsigned() const                               \
        {                                                                                  \
            return __nvvm_read_ptx_sreg_##OF##_##D();                                      \
        }                                                                                  \
    }
#define AXES(NAME, OF)                                                                     \
    AXIS(NAME, OF, x);                                                                     \
    AXIS(NAME, OF, y);                                                                     \
    AXIS(NAME, OF, z);                                                                     \
    struct NAME {                                                                          \
        NAME##_x x;                                                                        \
        NAME##_y y;                                                                        \
        NAME##_z z;                                                                        \
    }
AXES(words_thread, tid);
AXES(words_cta, ctaid);
AXES(words_cta_size, ntid);
AXES(words_grid, nctaid);
#undef AXES
#undef AXIS
#define threadIdx words_thread()
#define blockIdx words_cta()
#define blockDim words_cta_size()
#define gridDim words_grid()

typedef __SIZE_TYPE__ size_t;
struct __attribute__((aligned(8))) int2 {
    int x, y;
};
struct __attribute__((aligned(8))) float2 {
    float x, y;
};
struct __attribute__((aligned(16))) double2 {
    double x, y;
};
struct float3 {
    float x, y, z;
};
struct uchar3 {
    unsigned char x, y, z;
};
struct __attribute__((aligned(4))) uchar4 {
    unsigned char x, y, z, w;
};
struct __attribute__((aligned(16))) float4 {
    float x, y, z, w;
};
WORD float2 make_float2(float x, float y)
{
    return float2{x, y};
}
WORD float4 make_float4(float x, float y, float z, float w)
{
    return float4{x, y, z, w};
}
WORD int min(int a, int b)
{
    return a < b ? a : b;
}
WORD int max(int a, int b)
{
    return a > b ? a : b;
}
WORD float fminf(float a, float b)
{
    return __builtin_fminf(a, b);
}
WORD float fmaxf(float a, float b)
{
    return __builtin_fmaxf(a, b);
}
WORD float fabsf(float a)
{
    return __builtin_fabsf(a);
}
WORD float sqrtf(float a)
{
    return __nvvm_sqrt_rn_f(a);
}
WORD float rsqrtf(float a)
{
    return __nvvm_rsqrt_approx_f(a);
}
WORD int atomicAdd(int *where, int value)
{
    return __nvvm_atom_add_gen_i(where, value);
}
WORD unsigned atomicAdd(unsigned *where, unsigned value)
{
    return (unsigned)__nvvm_atom_add_gen_i((int *)where, (int)value);
}
WORD float atomicAdd(float *where, float value)
{
    return __nvvm_atom_add_gen_f(where, value);
}
WORD int atomicMax(int *where, int value)
{
    return __nvvm_atom_max_gen_i(where, value);
}
WORD unsigned atomicMax(unsigned *where, unsigned value)
{
    return __nvvm_atom_max_gen_ui(where, value);
}
WORD unsigned long long atomicMax(unsigned long long *where, unsigned long long value)
{
    return __nvvm_atom_max_gen_ull(where, value);
}
WORD int atomicMin(int *where, int value)
{
    return __nvvm_atom_min_gen_i(where, value);
}
WORD long long atomicMin(long long *where, long long value)
{
    return __nvvm_atom_min_gen_ll(where, value);
}
WORD int atomicOr(int *where, int value)
{
    return __nvvm_atom_or_gen_i(where, value);
}
WORD int atomicAnd(int *where, int value)
{
    return __nvvm_atom_and_gen_i(where, value);
}
WORD int atomicXor(int *where, int value)
{
    return __nvvm_atom_xor_gen_i(where, value);
}
WORD int atomicCAS(int *where, int compare, int value)
{
    return __nvvm_atom_cas_gen_i(where, compare, value);
}
WORD unsigned long long atomicCAS(unsigned long long *where, unsigned long long compare,
                                  unsigned long long value)
{
    return (unsigned long long)__nvvm_atom_cas_gen_ll((long long *)where,
                                                      (long long)compare, (long long)value);
}
WORD int atomicExch(int *where, int value)
{
    return __nvvm_atom_xchg_gen_i(where, value);
}
WORD float __shfl_down_sync(unsigned lanes, float value, unsigned distance)
{
    return __nvvm_shfl_sync_down_f32(lanes, value, (int)distance, 31);
}
WORD int __shfl_up_sync(unsigned lanes, int value, unsigned distance)
{
    return __nvvm_shfl_sync_up_i32(lanes, value, (int)distance, 0);
}
WORD int __shfl_xor_sync(unsigned lanes, int value, unsigned distance)
{
    return __nvvm_shfl_sync_bfly_i32(lanes, value, (int)distance, 31);
}
WORD int __shfl_sync(unsigned lanes, int value, int lane)
{
    return __nvvm_shfl_sync_idx_i32(lanes, value, lane, 31);
}
WORD unsigned __ballot_sync(unsigned lanes, int yes)
{
    return __nvvm_vote_ballot_sync(lanes, yes);
}
WORD int __popc(unsigned bits)
{
    return __builtin_popcount(bits);
}
WORD void __threadfence()
{
    __nvvm_membar_gl();
}
WORD void __threadfence_block()
{
    __nvvm_membar_cta();
}

#endif
