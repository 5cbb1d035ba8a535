/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Device code of the system matrix A: separable footprints (Long, Fessler and Balter 2010)
   in two dimensions. The projections of a pixel's corners give a trapezoid over the
   detector; its integral over a channel, times its height, is the coefficient. Forward and
   back projection use these two functions: they are a matched pair. */

#include <proact/device.h>

#include "ct_shape.h"

/* A view. The fields after s are of parallel beams: the trapezoid is symmetric. */
struct alignas(16) ct_view {
    real c, s;
    real wide;           /* half of its base, in channels */
    real ramp, ramp_end; /* reciprocal of a slope's length, and wide times that */
    real ramp_area;      /* of a slope, times the height in mm */
    real top;            /* reciprocal of the top's length */
    real top_area;       /* of the top, times the height in mm */
};

static_assert(sizeof(struct ct_view) == CT_VIEW_REALS * sizeof(real), "as the host has it");

/* Integral of a view's trapezoid up to `to` channels from its centre, less that up to the
   centre, in mm. */
__device__ static inline real parallel_until(const struct ct_view *v, real to)
{
    real rise = real_saturated(to, v->ramp, v->ramp_end);
    real rest = real_saturated(-to, v->ramp, v->ramp_end);
    real top = real_saturated(to, v->top, (real)0.5);

    return v->ramp_area * (rise * rise - rest * rest) + v->top_area * top;
}

/* Corners in ascending order, in channels from the channel `base`. */
struct footprint {
    int base;
    real corner[4];
    real rise, fall; /* reciprocals of the slopes' lengths; 0: an edge */
    real height;     /* mm: the pixel's side over max(|cos|, |sin|) of the ray */
};

/* Arc tangent for |v| <= 1: a half-angle step, then the series. */
__device__ static inline real footprint_atan(real v)
{
    real half = v / (1 + real_root(1 + v * v)), square = half * half, sum = 0;

    for (int i = ATAN_TERMS; i > 0; i--)
        sum = (real)1 / (real)(2 * i - 1) - square * sum;
    return 2 * half * sum;
}

__device__ static inline void footprint_order(real *a, real *b)
{
    real low = real_min(*a, *b);

    *b = real_max(*a, *b);
    *a = low;
}

/* Distance in channels from the pixel's centre to the corner (x, y) in a fan. `along` and
   `depth` are the numerator and the denominator of v at the centre. */
__device__ static inline real footprint_corner(const struct ct_shape *shape, real c, real s,
                                               real x, real y, real along, real depth,
                                               real v)
{
    real along_x = x * c + y * s, depth_x = x * s - y * c;
    real numerator = along_x - v * depth_x;

    if (shape->beam == CT_FAN_FLAT)
        return (real)shape->scale * numerator * real_reciprocal(depth + depth_x);
    real q = numerator * real_reciprocal(depth + depth_x + v * (along + along_x));
    real square = q * q; /* below 1e-4, so three terms of the arc tangent suffice */

    return (real)shape->scale * q *
           (1 -
            square * ((real)(1.0 / 3) - square * ((real)0.2 - square * (real)(1.0 / 7))));
}

/* Corners around 0, and the height in pixels. Returns the channel of the centre. */
__device__ static inline real footprint_of_fan(const struct ct_shape *shape, real c, real s,
                                               real x, real y, struct footprint *f)
{
    real source = (real)shape->source, along = x * c + y * s;
    real depth = source + x * s - y * c, v = along / depth, half = (real)0.5;
    real ray_x = real_abs(x + s * source), ray_y = real_abs(y - c * source);
    real ratio = real_min(ray_x, ray_y) * real_reciprocal(real_max(ray_x, ray_y));

    for (int i = 0; i < 4; i++)
        f->corner[i] = footprint_corner(shape, c, s, i % 2 ? half : -half,
                                        i / 2 ? half : -half, along, depth, v);
    footprint_order(&f->corner[0], &f->corner[1]);
    footprint_order(&f->corner[2], &f->corner[3]);
    footprint_order(&f->corner[0], &f->corner[2]);
    footprint_order(&f->corner[1], &f->corner[3]);
    footprint_order(&f->corner[1], &f->corner[2]);
    f->height = real_root(1 + ratio * ratio);
    return (real)shape->scale * (shape->beam == CT_FAN_ARC ? footprint_atan(v) : v);
}

/* The footprint of a pixel in the view of a fan with cosine c and sine s. */
__device__ static inline void footprint_make(const struct ct_shape *shape, real c, real s,
                                             proact_u32 row, proact_u32 column,
                                             struct footprint *f)
{
    real middle = (real)0.5 * (real)(shape->size - 1);
    real x = (real)column - middle, y = middle - (real)row;
    real at = footprint_of_fan(shape, c, s, x, y, f) + (real)shape->centre;

    f->base = real_floor(at);
    at -= (real)f->base;
    for (int i = 0; i < 4; i++)
        f->corner[i] += at;
    real rise = f->corner[1] - f->corner[0], fall = f->corner[3] - f->corner[2];

    f->rise = rise > SMALL_SLOPE ? real_reciprocal(rise) : 0;
    f->fall = fall > SMALL_SLOPE ? real_reciprocal(fall) : 0;
    f->height *= (real)shape->pixel;
}

/* The integral of the trapezoid of height 1 up to `to`. */
__device__ static inline real footprint_until(const struct footprint *f, real to)
{
    real rise = real_max(real_min(to, f->corner[1]) - f->corner[0], 0);
    real top = real_max(real_min(to, f->corner[2]) - f->corner[1], 0);
    real fall = real_max(real_min(to, f->corner[3]) - f->corner[2], 0);
    real half = (real)0.5;

    return half * rise * rise * f->rise + top + fall - half * fall * fall * f->fall;
}
