/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ct/ct_host.h"
#include "graph/complain.h"

/* Subsets of fewer views may diverge. */
enum { SUBSET_VIEWS_DEFAULT = 30, SUBSETS_DEFAULT_MAX = 24, ITERATIONS_DEFAULT = 10 };

static const double beta_default = 300;

enum proact_status ct_options_complete(const struct ct_scan *scan,
                                       const struct ct_options *given,
                                       struct ct_options *out, struct proact_error *err)
{
    struct ct_options o = {0};

    if (given)
        o = *given;
    if (!o.subsets) {
        unsigned most = scan->geometry.views / SUBSET_VIEWS_DEFAULT;

        o.subsets = most < 1 ? 1 : most < SUBSETS_DEFAULT_MAX ? most : SUBSETS_DEFAULT_MAX;
    }
    o.iterations = o.iterations ? o.iterations : ITERATIONS_DEFAULT;
    o.beta = o.beta < 0 ? 0 : o.beta > 0 ? o.beta : beta_default;
    if (o.subsets > scan->geometry.views) {
        complain(err, PROACT_EINVAL, "ct: %u subsets exceed the %u views", o.subsets,
                 scan->geometry.views);
        return PROACT_EINVAL;
    }
    if (!(o.relax >= 0)) {
        complain(err, PROACT_EINVAL, "ct: relaxation %g is negative", o.relax);
        return PROACT_EINVAL;
    }
    *out = o;
    enum proact_status status = ct_geometry_check(&scan->geometry, err);

    return status ? status : ct_geometry_check_slices(&scan->geometry, scan->slices, err);
}

/* The m-th of the numbers below `subsets` in the order of their reversed bits. */
unsigned ct_subset_at(unsigned m, unsigned subsets)
{
    unsigned bits = 0;

    while (1u << bits < subsets)
        bits++;
    for (unsigned i = 0;; i++) {
        unsigned reversed = 0;

        for (unsigned b = 0; b < bits; b++)
            reversed |= (i >> b & 1) << (bits - 1 - b);
        if (reversed < subsets && m-- == 0)
            return reversed;
    }
}

double ct_momentum_next(double *t)
{
    double before = *t;

    *t = 0.5 * (1 + sqrt(1 + 4 * before * before));
    return (before - 1) / *t;
}

double *ct_start_image(const struct ct_tables *t, const struct ct_scan *scan,
                       const struct ct_options *o)
{
    const struct ct_geometry *g = &scan->geometry;
    size_t pixels = (size_t)g->size * g->size, rays = (size_t)g->views * g->channels;
    double *image = app_calloc(pixels * scan->slices, sizeof *image);
    bool is_full = g->beam == CT_PARALLEL || fabs(g->arc_degrees - 360) < 1e-9;

    for (unsigned i = 0; i < scan->slices && is_full && !o->start_zero; i++)
        ct_filtered_back_projection(t, scan->measured + i * rays, image + i * pixels);
    return image;
}

void ct_cost_on_host(const struct ct_tables *t, const struct ct_scan *scan, double beta,
                     const double *image, struct ct_state *state)
{
    size_t pixels = (size_t)scan->geometry.size * scan->geometry.size;
    size_t rays = (size_t)scan->geometry.views * scan->geometry.channels;
    double *projected = app_calloc(rays, sizeof *projected), data = 0, prior = 0;

    for (unsigned i = 0; i < scan->slices; i++) {
        ct_forward(t, image + i * pixels, projected, 0, 1);
        for (size_t k = 0; k < rays; k++) {
            double e = projected[k] - scan->measured[i * rays + k];

            data += 0.5 * scan->weight[i * rays + k] * e * e;
        }
        prior += ct_prior_sum(image + i * pixels, scan->geometry.size);
    }
    free(projected);
    state->data = data;
    state->prior = beta * prior;
    state->cost = data + beta * prior;
}

/* The region of errors: the phantom's skull or the whole field. */
static bool error_counts(const struct ct_scan *scan, unsigned row, unsigned column)
{
    double middle = 0.5 * (scan->geometry.size - 1), per = 2.0 / scan->geometry.size;
    double x = (column - middle) * per / .62, y = ((middle - row) * per + .0184) / .83;

    return scan->in_skull ? x * x + y * y <= 1
                          : ct_in_field(scan->geometry.size, row, column);
}

void ct_errors(const struct ct_scan *scan, const double *image, const double *before,
               struct ct_state *state)
{
    unsigned n = scan->geometry.size;
    double error = 0, change = 0;
    size_t error_count = 0, change_count = 0;

    for (size_t i = 0; i < (size_t)scan->slices * n * n; i++) {
        unsigned row = (unsigned)(i / n % n), column = (unsigned)(i % n);

        if (scan->truth && error_counts(scan, row, column)) {
            error += pow((image[i] - scan->truth[i]) * 1000 / CT_WATER, 2);
            error_count++;
        }
        if (before && ct_in_field(n, row, column)) {
            change += pow((image[i] - before[i]) * 1000 / CT_WATER, 2);
            change_count++;
        }
    }
    state->error_hu = error_count ? sqrt(error / (double)error_count) : NAN;
    state->change_hu = change_count ? sqrt(change / (double)change_count) : NAN;
}

/* One slice, whose iterations need memory of their own. */
struct reference_slice {
    double *image, *old, *curvature; /* by pixel */
    const double *measured, *weight; /* by ray */
};

struct reference {
    const struct ct_tables *tables;
    const struct ct_options *options;
    double *residual, *sum, *next;
    size_t pixels;
    unsigned slices;
    struct reference_slice *slice;
};

static void reference_residual(struct reference *r, const struct reference_slice *s,
                               unsigned subset, unsigned subsets)
{
    const struct ct_geometry *g = &r->tables->geometry;

    ct_forward(r->tables, s->old, r->residual, subset, subsets);
    for (unsigned v = subset; v < g->views; v += subsets)
        for (size_t k = (size_t)v * g->channels; k < (v + 1UL) * g->channels; k++)
            r->residual[k] = s->weight[k] * (r->residual[k] - s->measured[k]);
}

/* curvature = A' W A 1 + beta 2 sum of w */
static void reference_curvature(struct reference *r, struct reference_slice *s)
{
    const struct ct_geometry *g = &r->tables->geometry;

    for (size_t i = 0; i < r->pixels; i++)
        r->next[i] = ct_in_field(g->size, (unsigned)i / g->size, (unsigned)i % g->size);
    ct_forward(r->tables, r->next, r->residual, 0, 1);
    for (size_t k = 0; k < (size_t)g->views * g->channels; k++)
        r->residual[k] *= s->weight[k];
    ct_backward(r->tables, r->residual, s->curvature, 0, 1);
    for (size_t i = 0; i < r->pixels; i++)
        s->curvature[i] += r->options->beta * ct_prior_curvature_max();
}

static void reference_update(struct reference *r, struct reference_slice *s,
                             unsigned subset, double length, double momentum)
{
    unsigned n = r->tables->geometry.size, subsets = r->options->subsets;

    reference_residual(r, s, subset, subsets);
    ct_backward(r->tables, r->residual, r->sum, subset, subsets);
    for (size_t i = 0; i < r->pixels; i++) {
        if (!ct_in_field(n, (unsigned)i / n, (unsigned)i % n))
            continue;
        double slope =
            subsets * r->sum[i] + r->options->beta * ct_prior_slope(s->old, n, i).slope;

        r->next[i] = fmax(s->old[i] - length * slope / s->curvature[i], 0);
    }
    for (size_t i = 0; i < r->pixels; i++) {
        if (!ct_in_field(n, (unsigned)i / n, (unsigned)i % n))
            continue;
        s->old[i] = r->next[i] + momentum * (r->next[i] - s->image[i]);
        s->image[i] = r->next[i];
    }
}

static void reference_init(struct reference *r, const struct ct_scan *scan, double *image)
{
    const struct ct_geometry *g = &scan->geometry;
    size_t rays = (size_t)g->views * g->channels;

    r->pixels = (size_t)g->size * g->size;
    r->slices = scan->slices;
    r->residual = app_calloc(rays, sizeof *r->residual);
    r->sum = app_calloc(r->pixels, sizeof *r->sum);
    r->next = app_calloc(r->pixels, sizeof *r->next);
    r->slice = app_calloc(r->slices, sizeof *r->slice);
    for (unsigned i = 0; i < r->slices; i++) {
        struct reference_slice *s = &r->slice[i];

        *s = (struct reference_slice){
            .image = image + i * r->pixels,
            .old = app_calloc(r->pixels, sizeof *s->old),
            .curvature = app_calloc(r->pixels, sizeof *s->curvature),
            .measured = scan->measured + i * rays,
            .weight = scan->weight + i * rays,
        };
        memcpy(s->old, s->image, r->pixels * sizeof *s->old);
        reference_curvature(r, s);
    }
}

static void reference_clear(struct reference *r)
{
    for (unsigned i = 0; i < r->slices; i++) {
        free(r->slice[i].old);
        free(r->slice[i].curvature);
    }
    free(r->slice);
    free(r->residual);
    free(r->sum);
    free(r->next);
}

static void reference_iterate(struct reference *r, unsigned iteration, double *t)
{
    double length = 1 / (1 + r->options->relax * (iteration - 1));

    for (unsigned m = 0; m < r->options->subsets; m++) {
        double momentum = r->options->no_momentum ? 0 : ct_momentum_next(t);

        for (unsigned i = 0; i < r->slices; i++)
            reference_update(r, &r->slice[i], ct_subset_at(m, r->options->subsets), length,
                             momentum);
    }
}

enum proact_status ct_reference(const struct ct_scan *scan, const struct ct_options *given,
                                struct ct_result *out, struct proact_error *err)
{
    struct ct_options o;
    struct ct_tables tables;
    struct ct_result result = {0};
    enum proact_status status = ct_options_complete(scan, given, &o, err);
    double t = 1;

    if (status)
        return status;
    ct_tables_init(&tables, &scan->geometry);
    result.image = ct_start_image(&tables, scan, &o);
    result.pixels = (size_t)scan->slices * scan->geometry.size * scan->geometry.size;
    struct reference r = {.tables = &tables, .options = &o};
    double *before = app_calloc(result.pixels, sizeof *before);

    reference_init(&r, scan, result.image);
    for (unsigned n = 1; n <= o.iterations && !result.converged; n++) {
        memcpy(before, result.image, result.pixels * sizeof *before);
        reference_iterate(&r, n, &t);
        result.state.iteration = n;
        ct_errors(scan, result.image, before, &result.state);
        result.converged = result.state.change_hu < o.tolerance;
        if (o.monitor || n == o.iterations || result.converged)
            ct_cost_on_host(&tables, scan, o.beta, result.image, &result.state);
        if (o.progress)
            o.progress(o.context, &result.state);
    }
    free(before);
    reference_clear(&r);
    ct_tables_clear(&tables);
    *out = result;
    return PROACT_OK;
}

void ct_result_clear(struct ct_result *r)
{
    free(r->image);
    *r = (struct ct_result){0};
}
