/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Kernels of the CT reconstruction, for the type `real` of the including file. They are
   plain: the compiler derives their writes. Every CTA stores CT_RAYS or CT_PIXELS adjacent
   values, padding as 0, so that the stores of one launch are dense and increasing.

   A warp has adjacent rays or pixels, and the warps of a CTA divide a ray's rows or a
   pixel's views: neighbours load neighbouring values. The parts are added in a fixed
   order. */

#include "../graph/cta_sum.h"
#include "ct_footprint.h"

struct ray {
    const real *image; /* of the ray's slice */
    const struct ct_view *view;
    proact_u32 channel;
};

struct pixel {
    proact_u32 row, column;
};

/* Element `lane` of tile `tile`. */
__device__ static inline struct pixel pixel_of(const struct ct_shape *shape,
                                               proact_u32 tile, proact_u32 lane)
{
    proact_u32 y = tile / shape->tile_columns, x = tile - y * shape->tile_columns;

    return {y * CT_TILE_Y + lane / CT_TILE_X, x * CT_TILE_X + lane % CT_TILE_X};
}

__device__ static inline proact_u32 pixel_place(const struct ct_shape *shape,
                                                proact_u32 row, proact_u32 column)
{
    proact_u32 tile = row / CT_TILE_Y * shape->tile_columns + column / CT_TILE_X;

    return tile * CT_PIXELS + row % CT_TILE_Y * CT_TILE_X + column % CT_TILE_X;
}

/* One edge of a ray in a fan. Across the ray's direction, at line i, it is start + slope i.
 */
struct ray_edge {
    real start, slope, half;
};

/* Sum of the parts of element `lane`, in every thread of part 0. */
__device__ static inline real sum_parts(real (*sums)[CT_RAYS], proact_u32 part,
                                        proact_u32 lane, real mine)
{
    real sum = 0;

    sums[part][lane] = mine;
    proact_cta_sync(); /* all parts are stored */
    for (proact_u32 i = 0; i < CT_PARTS; i++)
        sum += sums[i][lane];
    return sum;
}

/* Position of the edge with detector coordinate v among the pixels of row i, or of column i
   if the rays of the view cross more columns. */
__device__ static inline struct ray_edge ray_edge_make(const struct ct_shape *shape,
                                                       const struct ray *r, real v,
                                                       bool by_column)
{
    real tilt = (real)shape->tilt, middle = (real)0.5 * (real)(shape->size - 1);
    real c = r->view->c, s = r->view->s;
    real across = c - tilt * v * s, along = s + tilt * v * c;
    real over = 1 / (by_column ? along : across);
    real slope = by_column ? across * over : along * over;
    real start = v * (real)shape->source * over;
    struct ray_edge e;

    e.start = (by_column ? middle - start : middle + start) - slope * middle;
    e.slope = slope;
    e.half = (real)0.5 * real_abs(slope);
    return e;
}

/* Coefficient times value of one pixel. */
__device__ static inline real ray_pixel(const struct ct_shape *shape, const struct ray *r,
                                        proact_u32 row, proact_u32 column)
{
    real value = r->image[pixel_place(shape, row, column)];
    struct footprint f;

    if (value == 0)
        return 0;
    footprint_make(shape, r->view->c, r->view->s, row, column, &f);
    real left = (real)((int)r->channel - f.base);

    return f.height * (footprint_until(&f, left + 1) - footprint_until(&f, left)) * value;
}

/* Part `part` of the projection along a ray of a fan: its pixels in every CT_PARTS-th row,
   or column. */
__device__ static inline real fan_ray_sum(const struct ct_shape *shape, const struct ray *r,
                                          const real *edge, proact_u32 part)
{
    bool by_column = real_abs(r->view->s) > real_abs(r->view->c);
    struct ray_edge a = ray_edge_make(shape, r, edge[r->channel], by_column);
    struct ray_edge b = ray_edge_make(shape, r, edge[r->channel + 1], by_column);
    int last_pixel = (int)shape->size - 1;
    real sum = 0;

    for (proact_u32 i = part; i < shape->size; i += CT_PARTS) {
        real at_a = a.start + a.slope * (real)i, at_b = b.start + b.slope * (real)i;
        real low = real_min(at_a - a.half, at_b - b.half);
        real high = real_max(at_a + a.half, at_b + b.half);
        int first = real_floor(low + (real)0.5), last = real_floor(high + (real)0.5);

        first = first < 0 ? 0 : first;
        last = last < last_pixel ? last : last_pixel;
        for (int j = first; j <= last; j++)
            sum += by_column ? ray_pixel(shape, r, (proact_u32)j, i)
                             : ray_pixel(shape, r, i, (proact_u32)j);
    }
    return sum;
}

/* The same of a parallel ray. Line i is a row or a column; the ray's channel begins
   `left` - j `step` channels after the centre of its pixel j. */
__device__ static inline real parallel_ray_sum(const struct ct_shape *shape,
                                               const struct ray *r, proact_u32 part)
{
    const struct ct_view view = *r->view;
    bool by_column = real_abs(view.s) > real_abs(view.c);
    real scale = (real)shape->scale, middle = (real)0.5 * (real)(shape->size - 1);
    real across = scale * view.c, along = scale * view.s;
    real step = by_column ? -along : across, slope = by_column ? -across : along;
    real start = (real)r->channel - (real)shape->centre + (across - along) * middle;
    real over = 1 / step, half = (view.wide + (real)0.5) * real_abs(over);
    /* Pixel j of a line is at j `next` + (j >> bits) `jump` from its first one. */
    proact_u32 next = by_column ? CT_TILE_X : 1;
    proact_u32 bits = by_column ? CT_TILE_Y_BITS : CT_TILE_X_BITS;
    proact_u32 jump = (by_column ? shape->tile_columns - 1 : 1) * CT_PIXELS;
    int last_pixel = (int)shape->size - 1;
    real sum = 0;

    jump -= by_column ? 0 : CT_TILE_X;
    for (proact_u32 i = part; i < shape->size; i += CT_PARTS) {
        proact_u32 line = by_column ? pixel_place(shape, 0, i) : pixel_place(shape, i, 0);
        real left = start + slope * (real)i, middle_pixel = (left + (real)0.5) * over;
        int first = real_floor(middle_pixel - half), last = real_floor(middle_pixel + half);

        first = first < 0 ? 0 : first;
        last = last < last_pixel ? last : last_pixel;
        for (int j = first; j <= last; j++) {
            proact_u32 at = line + (proact_u32)j * next + ((proact_u32)j >> bits) * jump;
            real to = left - step * (real)j;

            sum +=
                (parallel_until(&view, to + 1) - parallel_until(&view, to)) * r->image[at];
        }
    }
    return sum;
}

/* residual = weight (A image - measured) for the rays of a subset. */
extern "C" __global__ void ct_residual(const real *image, const real *measured,
                                       const real *weight, const struct ct_view *view,
                                       const real *edge, real *residual,
                                       struct ct_shape shape)
{
    __shared__ real sums[CT_PARTS][CT_RAYS];
    proact_u32 cta = proact_local_cta(), slice = cta / shape.ray_ctas;
    proact_u32 lane = proact_thread_x() % CT_RAYS, part = proact_thread_x() / CT_RAYS;
    proact_u32 ray = (cta - slice * shape.ray_ctas) * CT_RAYS + lane;
    proact_u32 v = ray / shape.channels * shape.subsets + shape.subset;
    struct ray r = {image + (proact_u64)slice * shape.pixel_ctas * CT_PIXELS, view + v,
                    ray % shape.channels};
    real sum = 0, value = 0;

    if (v < shape.views)
        sum = shape.beam == CT_PARALLEL ? parallel_ray_sum(&shape, &r, part)
                                        : fan_ray_sum(&shape, &r, edge, part);
    sum = sum_parts(sums, part, lane, sum);
    if (part == 0) {
        proact_u64 at = ((proact_u64)slice * shape.views + v) * shape.channels + r.channel;

        if (v < shape.views)
            value = weight[at] * (sum - measured[at]);
        residual[(proact_u64)cta * CT_RAYS + lane] = value;
    }
}

/* The channels of the subset's view with number `at`. */
__device__ static inline const real *view_rays(const struct ct_shape *shape,
                                               const real *residual, proact_u32 at)
{
    return residual + (proact_u64)at * shape->channels;
}

/* Back projection of a view of parallel beams to the pixel at (x, y). */
PROACT_DEVICE_INLINE real parallel_pixel(const struct ct_shape *shape, const real *rays,
                                         const struct ct_view *in, real x, real y)
{
    const struct ct_view view = *in;
    real at = (real)shape->scale * (view.c * x + view.s * y) + (real)shape->centre;
    int first = real_floor(at - view.wide), last = real_floor(at + view.wide);
    real sum = 0;

    first = first < 0 ? 0 : first;
    last = last < (int)shape->channels ? last : (int)shape->channels - 1;
    real before = parallel_until(&view, (real)first - at);

    for (int k = first; k <= last; k++) {
        real until = parallel_until(&view, (real)(k + 1) - at);

        sum += (until - before) * rays[k];
        before = until;
    }
    return sum;
}

/* The same of a fan. */
PROACT_DEVICE_INLINE real fan_pixel(const struct ct_shape *shape, const real *rays,
                                    const struct ct_view *view, struct pixel pixel)
{
    struct footprint f;

    footprint_make(shape, view->c, view->s, pixel.row, pixel.column, &f);
    int first = f.base + real_floor(f.corner[0]);
    int last = f.base + real_floor(f.corner[3]);

    first = first < 0 ? 0 : first;
    last = last < (int)shape->channels ? last : (int)shape->channels - 1;
    real before = footprint_until(&f, (real)(first - f.base)), sum = 0;

    for (int k = first; k <= last; k++) {
        real until = footprint_until(&f, (real)(k + 1 - f.base));

        sum += (until - before) * rays[k];
        before = until;
    }
    return f.height * sum;
}

/* Part `part` of the back projection to a pixel: every CT_PARTS-th view of the subset. */
PROACT_DEVICE_INLINE real pixel_sum(const struct ct_shape *shape, const real *residual,
                                    const struct ct_view *view, struct pixel pixel,
                                    proact_u32 part)
{
    proact_u32 at = part;
    real middle = (real)0.5 * (real)(shape->size - 1), sum = 0;

    for (; at * shape->subsets + shape->subset < shape->views; at += CT_PARTS) {
        const struct ct_view *v = view + at * shape->subsets + shape->subset;
        const real *rays = view_rays(shape, residual, at);

        sum += shape->beam == CT_PARALLEL
                   ? parallel_pixel(shape, rays, v, (real)pixel.column - middle,
                                    middle - (real)pixel.row)
                   : fan_pixel(shape, rays, v, pixel);
    }
    return sum;
}

/* Pixels outside the round field are 0. */
__device__ static inline bool is_in_field(const struct ct_shape *shape, struct pixel pixel)
{
    proact_u32 n = shape->size;
    int x = (int)(2 * pixel.column) - (int)(n - 1), y = (int)(n - 1) - (int)(2 * pixel.row);

    return pixel.row < n && pixel.column < n &&
           (proact_u32)(x * x) + (proact_u32)(y * y) <= n * n;
}

/* sum = A' residual for the rays of a subset. */
extern "C" __global__ void ct_back(const real *residual, const struct ct_view *view,
                                   real *sum, struct ct_shape shape)
{
    __shared__ real sums[CT_PARTS][CT_PIXELS];
    proact_u32 cta = proact_local_cta(), slice = cta / shape.pixel_ctas;
    proact_u32 lane = proact_thread_x() % CT_PIXELS, part = proact_thread_x() / CT_PIXELS;
    struct pixel pixel = pixel_of(&shape, cta - slice * shape.pixel_ctas, lane);
    const real *rays = residual + (proact_u64)slice * shape.ray_ctas * CT_RAYS;
    real mine = is_in_field(&shape, pixel) ? pixel_sum(&shape, rays, view, pixel, part) : 0;

    mine = sum_parts(sums, part, lane, mine);
    if (part == 0)
        sum[(proact_u64)cta * CT_PIXELS + lane] = mine;
}

/* x^(4/5) as x x^(-1/5), whose root Newton's method refines without a division. At 0 the
   root would be infinite. */
__device__ static inline real four_fifths_power(real x)
{
    x = real_max(x, (real)1e-30);
    real root = real_fifth_root_guess(x);

    for (int i = 0; i < ROOT_STEPS; i++) {
        real square = root * root;

        root += (real)0.2 * root * (1 - x * (square * square * root));
    }
    return x * root;
}

/* Slope of psi(t) = t^2 / 2 / (1 + |t / delta|^(2 - q)) with q = 1.2. */
__device__ static inline real prior_slope(real t, real per_delta)
{
    real a = four_fifths_power(real_abs(t) * per_delta);
    real over = real_reciprocal(1 + a);

    return t * (1 + (real)0.6 * a) * over * over;
}

__device__ static inline real prior_value(real t, real per_delta)
{
    return (real)0.5 * t * t / (1 + four_fifths_power(real_abs(t) * per_delta));
}

/* Sum of weighted slopes towards the eight neighbours in the image of a slice. */
__device__ static inline real prior_slopes(const struct ct_shape *shape, const real *image,
                                           struct pixel pixel, real per_delta)
{
    int n = (int)shape->size, row = (int)pixel.row, column = (int)pixel.column;
    real here = image[pixel_place(shape, pixel.row, pixel.column)], sum = 0;

    for (int y = -1; y <= 1; y++)
        for (int x = -1; x <= 1; x++) {
            real weight = x && y ? (real)0.7071067811865475 : 1;

            if ((x || y) && row + y >= 0 && row + y < n && column + x >= 0 &&
                column + x < n) {
                proact_u32 at =
                    pixel_place(shape, (proact_u32)(row + y), (proact_u32)(column + x));

                sum += weight * prior_slope(here - image[at], per_delta);
            }
        }
    return sum;
}

/* One update: image = [old - length (subsets A' residual + prior) / curvature]_+ and next =
   image + momentum (image - its last value). */
extern "C" __global__ void ct_update(const real *old, const real *residual,
                                     const real *curvature, const struct ct_view *view,
                                     real *image, real *next, struct ct_shape shape,
                                     struct ct_step step)
{
    __shared__ real sums[CT_PARTS][CT_PIXELS];
    proact_u32 cta = proact_local_cta(), slice = cta / shape.pixel_ctas;
    proact_u32 lane = proact_thread_x() % CT_PIXELS, part = proact_thread_x() / CT_PIXELS;
    struct pixel pixel = pixel_of(&shape, cta - slice * shape.pixel_ctas, lane);
    const real *rays = residual + (proact_u64)slice * shape.ray_ctas * CT_RAYS;
    bool inside = is_in_field(&shape, pixel);
    real data = inside ? pixel_sum(&shape, rays, view, pixel, part) : 0;

    data = sum_parts(sums, part, lane, data);
    if (part == 0) {
        proact_u64 at = (proact_u64)cta * CT_PIXELS + lane;
        real now = 0, last = image[at];

        if (inside) {
            const real *image_of_slice =
                old + (proact_u64)slice * shape.pixel_ctas * CT_PIXELS;
            real prior = prior_slopes(&shape, image_of_slice, pixel, 1 / (real)step.delta);
            real slope = (real)shape.subsets * data + (real)step.beta * prior;

            now = real_max(old[at] - (real)step.length * slope / curvature[at], 0);
        }
        image[at] = now;
        next[at] = now + (real)step.momentum * (now - last);
    }
}

/* Terms of the cost from the residual of all views. A CTA has CT_COST_SPAN rays and pixels
   of one slice. */
extern "C" __global__ void ct_cost(const real *residual, const real *weight,
                                   const real *image, struct ct_sums *sums,
                                   struct ct_shape shape, struct ct_step step,
                                   proact_u32 slice_ctas)
{
    __shared__ struct cta_pair scratch[CTA_WARPS];
    proact_u32 cta = proact_local_cta(), slice = cta / slice_ctas;
    proact_u32 first = (cta - slice * slice_ctas) * CT_COST_SPAN + proact_thread_x();
    proact_u32 rays = shape.views * shape.channels, n = shape.size;
    const real *slice_rays = residual + (proact_u64)slice * shape.ray_ctas * CT_RAYS;
    const real *slice_weight = weight + (proact_u64)slice * rays;
    const real *x = image + (proact_u64)slice * shape.pixel_ctas * CT_PIXELS;
    real per_delta = 1 / (real)step.delta, diagonal = (real)0.7071067811865475;
    double data = 0, prior = 0;

    for (proact_u32 i = first; i < first + CT_COST_SPAN; i += CTA_THREADS) {
        if (i < rays && slice_weight[i] > 0)
            data += 0.5 * (double)(slice_rays[i] * slice_rays[i] / slice_weight[i]);
        if (i < n * n) {
            proact_u32 row = i / n, column = i % n;
            bool has_right = column + 1 < n, has_left = column > 0, has_below = row + 1 < n;
            real here = x[pixel_place(&shape, row, column)];

            if (has_right)
                prior += (double)prior_value(here - x[pixel_place(&shape, row, column + 1)],
                                             per_delta);
            if (has_below)
                prior += (double)prior_value(here - x[pixel_place(&shape, row + 1, column)],
                                             per_delta);
            if (has_below && has_left)
                prior +=
                    (double)(diagonal *
                             prior_value(here - x[pixel_place(&shape, row + 1, column - 1)],
                                         per_delta));
            if (has_below && has_right)
                prior +=
                    (double)(diagonal *
                             prior_value(here - x[pixel_place(&shape, row + 1, column + 1)],
                                         per_delta));
        }
    }
    struct cta_pair total = cta_sum(data, prior, scratch);

    if (proact_thread_x() == 0) {
        sums[cta].data = total.a;
        sums[cta].prior = total.b;
    }
}

/* shown = image, for the cost and the change, so that the image itself is never sent. */
extern "C" __global__ void ct_show(const real *image, real *shown)
{
    proact_u32 i = proact_local_cta() * CT_PIXELS + proact_thread_x();

    shown[i] = image[i];
}
