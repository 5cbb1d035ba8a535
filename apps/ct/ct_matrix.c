/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "ct/ct_host.h"
#include "graph/complain.h"

/* The system matrix on the host, by the definition: it shares nothing with the kernels. */

static double matrix_project(const struct ct_tables *t, unsigned view, double x, double y)
{
    const struct ct_geometry *g = &t->geometry;
    double c = t->cosine[view], s = t->sine[view], along = x * c + y * s;

    if (g->beam == CT_PARALLEL)
        return along / g->pitch_mm;
    double v = along / (g->source_to_axis_mm + x * s - y * c);

    return (g->beam == CT_FAN_ARC ? atan(v) : v) * g->source_to_detector_mm / g->pitch_mm;
}

/* The side of a pixel over max(|cos|, |sin|) of the ray through its centre. */
static double matrix_height(const struct ct_tables *t, unsigned view, double x, double y)
{
    const struct ct_geometry *g = &t->geometry;
    double ray_x = t->sine[view], ray_y = t->cosine[view];

    if (g->beam != CT_PARALLEL) {
        ray_x = x + ray_x * g->source_to_axis_mm;
        ray_y = y - ray_y * g->source_to_axis_mm;
    }
    return g->pixel_mm * hypot(ray_x, ray_y) / fmax(fabs(ray_x), fabs(ray_y));
}

/* The integral up to `to` of the trapezoid with these corners and height 1. */
static double matrix_until(const double corner[4], double to)
{
    double a = fmin(to, corner[1]) - corner[0], b = fmin(to, corner[2]) - corner[1];
    double c = fmin(to, corner[3]) - corner[2], sum = 0;

    if (a > 0)
        sum += 0.5 * a * a / (corner[1] - corner[0]);
    if (b > 0)
        sum += b;
    if (c > 0)
        sum += c - 0.5 * c * c / (corner[3] - corner[2]);
    return sum;
}

static void matrix_sort(double corner[4])
{
    for (int i = 1; i < 4; i++)
        for (int k = i; k > 0 && corner[k - 1] > corner[k]; k--) {
            double swap = corner[k];

            corner[k] = corner[k - 1];
            corner[k - 1] = swap;
        }
}

void ct_row_make(const struct ct_tables *t, unsigned view, unsigned row, unsigned column,
                 struct ct_row *out)
{
    const struct ct_geometry *g = &t->geometry;
    double middle = 0.5 * (g->size - 1), half = 0.5 * g->pixel_mm, corner[4];
    double x = (column - middle) * g->pixel_mm, y = (middle - row) * g->pixel_mm;

    for (int i = 0; i < 4; i++)
        corner[i] = t->shape.centre + matrix_project(t, view, x + (i % 2 ? half : -half),
                                                     y + (i / 2 ? half : -half));
    matrix_sort(corner);
    double first = fmax(floor(corner[0]), 0), last = fmin(corner[3], g->channels);

    out->first = (unsigned)fmin(first, g->channels);
    out->count = 0;
    if (last <= first)
        return;
    double height = matrix_height(t, view, x, y), before = matrix_until(corner, first);

    for (double k = first; k < last && out->count < CT_SPAN_MAX; k++) {
        double until = matrix_until(corner, k + 1);

        out->weight[out->count++] = height * (until - before);
        before = until;
    }
}

void ct_forward(const struct ct_tables *t, const double *image, double *rays,
                unsigned subset, unsigned subsets)
{
    const struct ct_geometry *g = &t->geometry;
    struct ct_row a;

    for (unsigned v = subset; v < g->views; v += subsets) {
        double *to = rays + (size_t)v * g->channels;

        memset(to, 0, g->channels * sizeof *to);
        for (unsigned i = 0; i < g->size * g->size; i++) {
            if (image[i] == 0)
                continue;
            ct_row_make(t, v, i / g->size, i % g->size, &a);
            for (unsigned k = 0; k < a.count; k++)
                to[a.first + k] += a.weight[k] * image[i];
        }
    }
}

void ct_backward(const struct ct_tables *t, const double *rays, double *image,
                 unsigned subset, unsigned subsets)
{
    const struct ct_geometry *g = &t->geometry;
    struct ct_row a;

    for (unsigned i = 0; i < g->size * g->size; i++) {
        double sum = 0;

        for (unsigned v = subset; v < g->views; v += subsets) {
            const double *from = rays + (size_t)v * g->channels;

            if (!ct_in_field(g->size, i / g->size, i % g->size))
                break;
            ct_row_make(t, v, i / g->size, i % g->size, &a);
            for (unsigned k = 0; k < a.count; k++)
                sum += a.weight[k] * from[a.first + k];
        }
        image[i] = sum;
    }
}
