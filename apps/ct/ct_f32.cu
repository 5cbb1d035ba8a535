/* SPDX-License-Identifier: Apache-2.0 */
#include <proact/device.h>

/* The kernels in float32. Reciprocals and roots are the approximations of the hardware. */

typedef float real;

enum { ATAN_TERMS = 9, ROOT_STEPS = 3 };

static constexpr real SMALL_SLOPE = 1e-6f; /* channels: a shorter slope is an edge */

__device__ static inline real real_reciprocal(real x)
{
    real y;

    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

__device__ static inline real real_root(real x)
{
    real y;

    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

__device__ static inline real real_min(real a, real b)
{
    real y;

    asm("min.f32 %0, %1, %2;" : "=f"(y) : "f"(a), "f"(b));
    return y;
}

__device__ static inline real real_max(real a, real b)
{
    real y;

    asm("max.f32 %0, %1, %2;" : "=f"(y) : "f"(a), "f"(b));
    return y;
}

__device__ static inline real real_abs(real x)
{
    real y;

    asm("abs.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

/* a b + c in [0, 1] */
__device__ static inline real real_saturated(real a, real b, real c)
{
    real y;

    asm("fma.rn.sat.f32 %0, %1, %2, %3;" : "=f"(y) : "f"(a), "f"(b), "f"(c));
    return y;
}

__device__ static inline int real_floor(real x)
{
    int y;

    asm("cvt.rmi.s32.f32 %0, %1;" : "=r"(y) : "f"(x));
    return y;
}

/* About x^(-1/5), within 4 %: a fifth of the exponent by the bits of x > 0. */
__device__ static inline real real_fifth_root_guess(real x)
{
    proact_u32 bits;
    real y;

    asm("mov.b32 %0, %1;" : "=r"(bits) : "f"(x));
    bits = 0x4c2b9213u - bits / 5;
    asm("mov.b32 %0, %1;" : "=f"(y) : "r"(bits));
    return y;
}

#include "ct_kernels.h"
