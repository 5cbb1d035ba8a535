/* SPDX-License-Identifier: Apache-2.0 */
#include <proact/device.h>

/* The kernels in float64. */

typedef double real;

enum { ATAN_TERMS = 20, ROOT_STEPS = 4 };

static constexpr real SMALL_SLOPE = 1e-12; /* channels: a shorter slope is an edge */

__device__ static inline real real_reciprocal(real x)
{
    return 1 / x;
}

__device__ static inline real real_root(real x)
{
    real y;

    asm("sqrt.rn.f64 %0, %1;" : "=d"(y) : "d"(x));
    return y;
}

__device__ static inline real real_min(real a, real b)
{
    real y;

    asm("min.f64 %0, %1, %2;" : "=d"(y) : "d"(a), "d"(b));
    return y;
}

__device__ static inline real real_max(real a, real b)
{
    real y;

    asm("max.f64 %0, %1, %2;" : "=d"(y) : "d"(a), "d"(b));
    return y;
}

__device__ static inline real real_abs(real x)
{
    real y;

    asm("abs.f64 %0, %1;" : "=d"(y) : "d"(x));
    return y;
}

/* a b + c in [0, 1] */
__device__ static inline real real_saturated(real a, real b, real c)
{
    return real_max(real_min(a * b + c, 1), 0);
}

__device__ static inline int real_floor(real x)
{
    int y;

    asm("cvt.rmi.s32.f64 %0, %1;" : "=r"(y) : "d"(x));
    return y;
}

/* About x^(-1/5), within 4 %: a fifth of the exponent by the bits of x > 0. */
__device__ static inline real real_fifth_root_guess(real x)
{
    proact_u64 bits;
    real y;

    asm("mov.b64 %0, %1;" : "=l"(bits) : "d"(x));
    bits = 0x4cb8a57599999999ull - bits / 5;
    asm("mov.b64 %0, %1;" : "=d"(y) : "l"(bits));
    return y;
}

#include "ct_kernels.h"
