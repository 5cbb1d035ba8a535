/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Prelude of the sample kernels. It gives nvcc and a plain clang the same keywords, and
   each kernel two forms from one text: plain CUDA, or, with -DSAMPLE_SHARED, annotated with
   proact/device.h.

   The annotated form has the partition as its last parameter, and the blockIdx and gridDim
   of the complete launch. STORE writes to every replica. DONE counts the CTA, so every
   thread must reach it. */

#include <proact/device.h>

#if defined(__clang__) && !defined(__NVCC__)

#define __forceinline__ inline __attribute__((always_inline))
#define SAMPLE_WORD static __device__ __forceinline__

/* A value that is read on use: `threadIdx.x` becomes one special register. */
#define SAMPLE_REGISTER(NAME, OF)                                                          \
    struct NAME##_x {                                                                      \
        __device__ __forceinline__ operator unsigned() const                               \
        {                                                                                  \
            return __nvvm_read_ptx_sreg_##OF##_x();                                        \
        }                                                                                  \
    };                                                                                     \
    struct NAME##_y {                                                                      \
        __device__ __forceinline__ operator unsigned() const                               \
        {                                                                                  \
            return __nvvm_read_ptx_sreg_##OF##_y();                                        \
        }                                                                                  \
    };                                                                                     \
    struct NAME {                                                                          \
        NAME##_x x;                                                                        \
        NAME##_y y;                                                                        \
    }
SAMPLE_REGISTER(sample_thread, tid);
SAMPLE_REGISTER(sample_cta, ctaid);
SAMPLE_REGISTER(sample_cta_size, ntid);
SAMPLE_REGISTER(sample_grid, nctaid);
#undef SAMPLE_REGISTER

#define threadIdx sample_thread()
#define blockDim sample_cta_size()
#ifndef SAMPLE_SHARED
#define blockIdx sample_cta()
#define gridDim sample_grid()
#endif

struct __attribute__((aligned(16))) float4 {
    float x, y, z, w;
};

SAMPLE_WORD int min(int a, int b)
{
    return a < b ? a : b;
}
SAMPLE_WORD int max(int a, int b)
{
    return a > b ? a : b;
}
SAMPLE_WORD unsigned atomicAdd(unsigned *where, unsigned value)
{
    return (unsigned)__nvvm_atom_add_gen_i((int *)where, (int)value);
}
SAMPLE_WORD float atomicAdd(float *where, float value)
{
    return __nvvm_atom_add_gen_f(where, value);
}
SAMPLE_WORD int atomicMin(int *where, int value)
{
    return __nvvm_atom_min_gen_i(where, value);
}
SAMPLE_WORD float __shfl_down_sync(unsigned lanes, float value, unsigned distance)
{
    return __nvvm_shfl_sync_down_f32(lanes, value, (int)distance, 31);
}

#else
#define SAMPLE_WORD static __device__ __forceinline__
#endif

#ifdef SAMPLE_SHARED

/* The same for values of the partition; computed on use, because each costs a division. */
#define SAMPLE_SHARE(NAME, OF)                                                             \
    struct NAME##_x {                                                                      \
        const proact_partition *partition;                                                 \
        __device__ __forceinline__ operator unsigned() const                               \
        {                                                                                  \
            return OF##_x(partition);                                                      \
        }                                                                                  \
    };                                                                                     \
    struct NAME##_y {                                                                      \
        const proact_partition *partition;                                                 \
        __device__ __forceinline__ operator unsigned() const                               \
        {                                                                                  \
            return OF##_y(partition);                                                      \
        }                                                                                  \
    };                                                                                     \
    struct NAME {                                                                          \
        NAME##_x x;                                                                        \
        NAME##_y y;                                                                        \
        __device__ __forceinline__ NAME(const proact_partition *partition)                 \
            : x{partition}, y{partition}                                                   \
        {                                                                                  \
        }                                                                                  \
    }
SAMPLE_SHARE(sample_shared_cta, proact_cta);
SAMPLE_SHARE(sample_shared_grid, proact_grid);
#undef SAMPLE_SHARE

template <class T, class V>
SAMPLE_WORD void sample_store(const proact_partition *partition, unsigned slot, T &place,
                              const V &value)
{
    proact_store(partition, slot, &place, (T)value);
}

#define blockIdx sample_shared_cta(&partition)
#define gridDim sample_shared_grid(&partition)
#define KERNEL(name, ...)                                                                  \
    extern "C" __global__ void name(__VA_ARGS__, struct proact_partition partition)
#define STORE(slot, place, value) sample_store(&partition, slot, place, value)
#define DONE() proact_done(&partition)

#else

#define KERNEL(name, ...) extern "C" __global__ void name(__VA_ARGS__)
#define STORE(slot, place, value) ((place) = (value))
#define DONE() ((void)0)

#endif
