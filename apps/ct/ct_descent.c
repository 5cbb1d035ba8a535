/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ct/ct_host.h"
#include "graph/complain.h"

/* Iterative coordinate descent of one slice. Each update solves for one pixel with the
   quadratic surrogate of the prior. The residual of all rays follows each change. */
struct descent {
    const struct ct_tables *tables;
    double beta;
    const double *weight;
    double *image, *residual; /* measured - A image */
    size_t pixels, stride;    /* pixel k of a sweep is k * stride modulo `pixels` */
};

static size_t descent_divisor(size_t a, size_t b)
{
    return b ? descent_divisor(b, a % b) : a;
}

static void descent_add(struct descent *d, unsigned row, unsigned column, double change)
{
    const struct ct_geometry *g = &d->tables->geometry;
    struct ct_row a;

    for (unsigned v = 0; v < g->views; v++) {
        ct_row_make(d->tables, v, row, column, &a);
        for (unsigned k = 0; k < a.count; k++)
            d->residual[(size_t)v * g->channels + a.first + k] -= a.weight[k] * change;
    }
}

static void descent_update(struct descent *d, size_t pixel)
{
    const struct ct_geometry *g = &d->tables->geometry;
    unsigned row = (unsigned)(pixel / g->size), column = (unsigned)(pixel % g->size);
    double slope = 0, curvature = 0;
    struct ct_row a;

    if (!ct_in_field(g->size, row, column))
        return;
    for (unsigned v = 0; v < g->views; v++) {
        ct_row_make(d->tables, v, row, column, &a);
        for (unsigned k = 0; k < a.count; k++) {
            size_t ray = (size_t)v * g->channels + a.first + k;

            slope -= a.weight[k] * d->weight[ray] * d->residual[ray];
            curvature += a.weight[k] * a.weight[k] * d->weight[ray];
        }
    }
    struct ct_slope prior = ct_prior_slope(d->image, g->size, pixel);

    curvature += d->beta * prior.curvature;
    if (!(curvature > 0))
        return; /* no ray measures the pixel */
    double to = fmax(d->image[pixel] - (slope + d->beta * prior.slope) / curvature, 0);
    double change = to - d->image[pixel];

    d->image[pixel] = to;
    if (change != 0)
        descent_add(d, row, column, change);
}

static void descent_sweep(struct descent *d)
{
    for (size_t k = 0; k < d->pixels; k++)
        descent_update(d, k * d->stride % d->pixels);
}

static void descent_init(struct descent *d, const struct ct_tables *t,
                         const struct ct_scan *scan, unsigned slice, double *image)
{
    const struct ct_geometry *g = &t->geometry;
    size_t rays = (size_t)g->views * g->channels;

    d->tables = t;
    d->pixels = (size_t)g->size * g->size;
    d->weight = scan->weight + slice * rays;
    d->image = image + slice * d->pixels;
    d->residual = app_calloc(rays, sizeof *d->residual);
    d->stride = 2654435761u;
    while (descent_divisor(d->stride, d->pixels) != 1)
        d->stride++;
    ct_forward(t, d->image, d->residual, 0, 1);
    for (size_t k = 0; k < rays; k++)
        d->residual[k] = scan->measured[slice * rays + k] - d->residual[k];
}

enum proact_status ct_descent(const struct ct_scan *scan, const struct ct_options *given,
                              struct ct_result *out, struct proact_error *err)
{
    struct ct_options o;
    struct ct_tables tables;
    struct ct_result result = {0};
    enum proact_status status = ct_options_complete(scan, given, &o, err);

    if (status)
        return status;
    ct_tables_init(&tables, &scan->geometry);
    result.image = ct_start_image(&tables, scan, &o);
    result.pixels = (size_t)scan->slices * scan->geometry.size * scan->geometry.size;
    struct descent *d = app_calloc(scan->slices, sizeof *d);
    double *before = app_calloc(result.pixels, sizeof *before);

    for (unsigned i = 0; i < scan->slices; i++) {
        descent_init(&d[i], &tables, scan, i, result.image);
        d[i].beta = o.beta;
    }
    for (unsigned n = 1; n <= o.iterations && !result.converged; n++) {
        memcpy(before, result.image, result.pixels * sizeof *before);
        for (unsigned i = 0; i < scan->slices; i++)
            descent_sweep(&d[i]);
        result.state.iteration = n;
        ct_errors(scan, result.image, before, &result.state);
        result.converged = result.state.change_hu < o.tolerance;
        if (o.monitor || n == o.iterations || result.converged)
            ct_cost_on_host(&tables, scan, o.beta, result.image, &result.state);
        if (o.progress)
            o.progress(o.context, &result.state);
    }
    for (unsigned i = 0; i < scan->slices; i++)
        free(d[i].residual);
    free(d);
    free(before);
    ct_tables_clear(&tables);
    *out = result;
    return PROACT_OK;
}
