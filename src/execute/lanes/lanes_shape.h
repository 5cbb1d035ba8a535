/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Shape of an operation: read 32 lanes, compute, write. A kind of value (u32, s16, f16,
   ...) consists of four parts: lane_K, the type in a register; value_K, the type to compute
   with; and read_K() and write_K(), the conversions. */

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "execute/lanes/lanes_round.h"
#include "execute/op.h"

/* A register is accessed with the type that the instruction names. */
#define ALIASES __attribute__((may_alias, unused))

typedef uint32_t ALIASES lane_u8, lane_u16, lane_u32, lane_f16, lane_bf16, lane_odd_f16,
    lane_odd_bf16;
typedef int32_t ALIASES lane_s8, lane_s16, lane_s32;
typedef uint64_t ALIASES lane_u64;
typedef int64_t ALIASES lane_s64;
typedef float ALIASES lane_f32;
typedef double ALIASES lane_f64;

typedef uint8_t value_u8;
typedef uint16_t value_u16;
typedef uint32_t value_u32;
typedef uint64_t value_u64;
typedef int8_t value_s8;
typedef int16_t value_s16;
typedef int32_t value_s32;
typedef int64_t value_s64;
/* Sums and products of 16-bit floats are exact in f32, or rounding them twice is harmless.
   fma_odd() of lanes_round.h needs double. */
typedef float value_f32, value_f16, value_bf16;
typedef double value_f64, value_odd_f16, value_odd_bf16;

#define read_u8(lane) ((uint8_t)(lane))
#define read_u16(lane) ((uint16_t)(lane))
#define read_u32(lane) (lane)
#define read_u64(lane) (lane)
#define read_s8(lane) ((int8_t)(lane))
#define read_s16(lane) ((int16_t)(lane))
#define read_s32(lane) (lane)
#define read_s64(lane) (lane)
#define read_f16(lane) float_of_f16(lane)
#define read_bf16(lane) float_of_bf16(lane)
#define read_odd_f16(lane) ((double)float_of_f16(lane))
#define read_odd_bf16(lane) ((double)float_of_bf16(lane))
#define read_f32(lane) (lane)
#define read_f64(lane) (lane)

#define write_u8(value) (value)
#define write_u16(value) (value)
#define write_u32(value) (value)
#define write_u64(value) (value)
#define write_s8(value) (value)
#define write_s16(value) (value)
#define write_s32(value) (value)
#define write_s64(value) (value)
#define write_f16(value) f16_nearest(value)
#define write_bf16(value) bf16_nearest(value)
#define write_odd_f16(value) narrow_16(value, FORMAT_F16, ROUND_NEAREST)
#define write_odd_bf16(value) narrow_16(value, FORMAT_BF16, ROUND_NEAREST)
#define write_f32(value) one_nan_f32(value) /* the processor's NaN is unspecified */
#define write_f64(value) (value)            /* rows select the NaN: keep_nan() */

/* The destination is identical to a source or disjoint from it, so no lane depends on
   another. */
#define FOR_LANES(l) _Pragma("omp simd") for (unsigned l = 0; l < LANES; l++)

/* Inactive lanes keep their values. */
static __attribute__((noinline)) void blend_4(void *into, const void *from, uint32_t mask)
{
    lane_u32 *to = into;
    const lane_u32 *x = from;

    FOR_LANES(l)
    to[l] = mask >> l & 1 ? x[l] : to[l];
}

static __attribute__((noinline)) void blend_8(void *into, const void *from, uint32_t mask)
{
    lane_u64 *to = into;
    const lane_u64 *x = from;

    FOR_LANES(l)
    to[l] = mask >> l & 1 ? x[l] : to[l];
}

/* Scratch result of an operation with inactive lanes. */
struct lanes_scratch {
    _Alignas(64) unsigned char lanes[LANES * 8];
};

static inline void *lanes_begin(void *to, struct lanes_scratch *s, uint32_t mask)
{
    return mask == UINT32_MAX ? to : s->lanes;
}

static inline void lanes_end(void *to, const void *out, size_t lane_bytes, uint32_t mask)
{
    if (out == to)
        return;
    if (lane_bytes == 4)
        blend_4(to, out, mask);
    else
        blend_8(to, out, mask);
}

/* One bit per lane from 32 comparisons, each 0 or -1. */
static inline uint32_t lanes_mask(const int32_t truth[LANES])
{
    uint32_t mask = 0;
#if defined __AVX__
    for (unsigned l = 0; l < LANES; l += 8) {
        float eight __attribute__((vector_size(32)));

        memcpy(&eight, truth + l, sizeof eight);
        mask |= (uint32_t)__builtin_ia32_movmskps256(eight) << l;
    }
#elif defined __SSE__
    for (unsigned l = 0; l < LANES; l += 4) {
        float four __attribute__((vector_size(16)));

        memcpy(&four, truth + l, sizeof four);
        mask |= (uint32_t)__builtin_ia32_movmskps(four) << l;
    }
#else
    for (unsigned l = 0; l < LANES; l++)
        mask |= (uint32_t)(truth[l] & 1) << l;
#endif
    return mask;
}
