/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ct/ct_host.h"
#include "ct/ct_npy.h"
#include "graph/complain.h"
#include "graph/seeded.h"

enum { ELLIPSES = 10, RAYS_A_CHANNEL = 4, POINTS_A_PIXEL = 4 };

static const double pi = 3.14159265358979323846;

/* Shepp and Logan's ellipses, in half-widths of the field: centre, half-axes, angle in
   degrees, added density in water's. */
static const struct ellipse {
    double x, y, a, b, degrees, density;
} ellipses[ELLIPSES] = {
    {0, 0, .69, .92, 0, 2},         {0, -.0184, .6624, .874, 0, -.98},
    {.22, 0, .11, .31, -18, -.02},  {-.22, 0, .16, .41, 18, -.02},
    {0, .35, .21, .25, 0, .01},     {0, .1, .046, .046, 0, .01},
    {0, -.1, .046, .046, 0, .01},   {-.08, -.605, .046, .023, 0, .01},
    {0, -.606, .023, .023, 0, .01}, {.06, -.605, .023, .046, 0, .01},
};

static double scan_density(double x, double y)
{
    double sum = 0;

    for (int i = 0; i < ELLIPSES; i++) {
        const struct ellipse *e = &ellipses[i];
        double c = cos(e->degrees * pi / 180), s = sin(e->degrees * pi / 180);
        double u = ((x - e->x) * c + (y - e->y) * s) / e->a;
        double w = ((y - e->y) * c - (x - e->x) * s) / e->b;

        if (u * u + w * w <= 1)
            sum += e->density;
    }
    return sum;
}

/* The integral along the line with normal (c, s) at a distance from the centre. */
static double scan_integral(double c, double s, double distance)
{
    double sum = 0;

    for (int i = 0; i < ELLIPSES; i++) {
        const struct ellipse *e = &ellipses[i];
        double ec = cos(e->degrees * pi / 180), es = sin(e->degrees * pi / 180);
        double u = (c * ec + s * es) * e->a, w = (s * ec - c * es) * e->b;
        double square = u * u + w * w, offset = distance - e->x * c - e->y * s;

        if (offset * offset < square)
            sum += 2 * e->density * e->a * e->b * sqrt(square - offset * offset) / square;
    }
    return sum;
}

/* The mean of the rays through equal parts of a channel. */
static double scan_ray(const struct ct_tables *t, unsigned view, unsigned channel,
                       double radius)
{
    const struct ct_geometry *g = &t->geometry;
    double c = t->cosine[view], s = t->sine[view], sum = 0;

    for (int i = 0; i < RAYS_A_CHANNEL; i++) {
        double k = channel + (i + 0.5) / RAYS_A_CHANNEL;
        double u = (k - t->shape.centre) * g->pitch_mm, angle = 0, distance = u;

        if (g->beam != CT_PARALLEL) {
            double v = u / g->source_to_detector_mm;

            angle = g->beam == CT_FAN_ARC ? v : atan(v);
            distance = g->source_to_axis_mm * sin(angle);
        }
        sum += scan_integral(c * cos(angle) - s * sin(angle),
                             s * cos(angle) + c * sin(angle), distance / radius);
    }
    return CT_WATER * radius * sum / RAYS_A_CHANNEL;
}

static double scan_pixel(const struct ct_geometry *g, unsigned row, unsigned column,
                         double radius)
{
    double middle = 0.5 * (g->size - 1), sum = 0;

    for (int down = 0; down < POINTS_A_PIXEL; down++)
        for (int across = 0; across < POINTS_A_PIXEL; across++) {
            double x = column - middle + (across + 0.5) / POINTS_A_PIXEL - 0.5;
            double y = middle - row + (down + 0.5) / POINTS_A_PIXEL - 0.5;

            sum += scan_density(x * g->pixel_mm / radius, y * g->pixel_mm / radius);
        }
    return CT_WATER * sum / (POINTS_A_PIXEL * POINTS_A_PIXEL);
}

/* ---- Noise ---- */

/* Replaces line integrals by those of noisy counts. Counts of 0 are raised to 1. */
static void scan_count(struct ct_scan *scan, double counts, uint64_t seed)
{
    size_t rays = (size_t)scan->slices * scan->geometry.views * scan->geometry.channels;

    scan->weight = app_calloc(rays, sizeof *scan->weight);
    for (size_t i = 0; i < rays; i++) {
        double expected = counts * exp(-scan->measured[i]);
        double count = floor(expected + sqrt(expected) * seeded_normal(seed, i) + 0.5);

        scan->count_zero += count < 1;
        count = count < 1 ? 1 : count;
        scan->measured[i] = log(counts / count);
        scan->weight[i] = count / counts;
    }
}

/* ---- Scans ---- */

static enum proact_status scan_check(const struct ct_geometry *g, unsigned slices,
                                     double counts, struct proact_error *err)
{
    enum { SLICES_MAX = 4096 };

    if (slices < 1 || slices > SLICES_MAX)
        return complain(err, PROACT_EINVAL, "ct: %u slices are not from 1 to %d", slices,
                        SLICES_MAX);
    if (!(counts >= 1 && counts <= 1e12))
        return complain(err, PROACT_EINVAL, "ct: %g counts a ray are not from 1 to 1e12",
                        counts);
    enum proact_status status = ct_geometry_check(g, err);

    return status ? status : ct_geometry_check_slices(g, slices, err);
}

enum proact_status ct_scan_phantom(const struct ct_geometry *g, unsigned slices,
                                   double counts, uint64_t seed, struct ct_scan *out,
                                   struct proact_error *err)
{
    struct ct_scan scan = {.geometry = *g, .slices = slices, .in_skull = true};
    size_t pixels = (size_t)g->size * g->size, rays = (size_t)g->views * g->channels;
    enum proact_status status = scan_check(g, slices, counts, err);
    struct ct_tables t;

    if (status)
        return status;
    ct_tables_init(&t, g);
    scan.field_mm = g->pixel_mm * g->size;
    scan.truth = app_calloc(slices * pixels, sizeof *scan.truth);
    scan.measured = app_calloc(slices * rays, sizeof *scan.measured);
    for (unsigned i = 0; i < pixels; i++)
        if (ct_in_field(g->size, i / g->size, i % g->size))
            scan.truth[i] = scan_pixel(g, i / g->size, i % g->size, scan.field_mm / 2);
    for (unsigned i = 0; i < rays; i++)
        scan.measured[i] =
            scan_ray(&t, i / g->channels, i % g->channels, scan.field_mm / 2);
    for (size_t i = 1; i < slices; i++) {
        memcpy(scan.truth + i * pixels, scan.truth, pixels * sizeof *scan.truth);
        memcpy(scan.measured + i * rays, scan.measured, rays * sizeof *scan.measured);
    }
    scan_count(&scan, counts, seed);
    ct_tables_clear(&t);
    *out = scan;
    return PROACT_OK;
}

static double *scan_truth(const struct ct_geometry *g, const struct ct_object *object)
{
    size_t n = g->size, side = object->side;
    double *truth = app_calloc(object->slices * n * n, sizeof *truth);

    for (size_t i = 0; i < object->slices * n * n; i++) {
        size_t slice = i / (n * n), row = i / n % n, column = i % n;
        double hu =
            (double)object->hu[(slice * side + row * side / n) * side + column * side / n];

        if (hu > -1000 && ct_in_field(g->size, (unsigned)row, (unsigned)column))
            truth[i] = CT_WATER * (1 + hu / 1000);
    }
    return truth;
}

enum proact_status ct_scan_object(const struct ct_geometry *g,
                                  const struct ct_object *object, double counts,
                                  uint64_t seed, struct ct_scan *out,
                                  struct proact_error *err)
{
    struct ct_scan scan = {.geometry = *g, .slices = object->slices};
    size_t pixels = (size_t)g->size * g->size, rays = (size_t)g->views * g->channels;
    enum proact_status status = scan_check(g, object->slices, counts, err);
    struct ct_tables t;

    if (status)
        return status;
    ct_tables_init(&t, g);
    scan.field_mm = g->pixel_mm * g->size;
    scan.truth = scan_truth(g, object);
    scan.measured = app_calloc(scan.slices * rays, sizeof *scan.measured);
    for (size_t i = 0; i < scan.slices; i++)
        ct_forward(&t, scan.truth + i * pixels, scan.measured + i * rays, 0, 1);
    scan_count(&scan, counts, seed);
    ct_tables_clear(&t);
    *out = scan;
    return PROACT_OK;
}

static enum proact_status scan_check_dimensions(const char *path, const struct ct_npy *npy,
                                                struct proact_error *err)
{
    for (unsigned i = 0; i < npy->dimensions; i++)
        if (npy->shape[i] > UINT16_MAX + 1UL)
            return complain(err, PROACT_EINVAL, "%s: %zu in a dimension exceed %u", path,
                            npy->shape[i], UINT16_MAX + 1);
    if (npy->dimensions == 2 || npy->dimensions == 3)
        return PROACT_OK;
    return complain(err, PROACT_EINVAL,
                    "%s: a sinogram has the shape (views, channels) or (views, slices, "
                    "channels), found %u dimensions",
                    path, npy->dimensions);
}

/* Sets the slices. */
static enum proact_status scan_take_shape(const char *path, const struct ct_npy *npy,
                                          struct ct_scan *scan, struct proact_error *err)
{
    const struct ct_geometry *g = &scan->geometry;
    enum proact_status status = scan_check_dimensions(path, npy, err);

    if (status)
        return status;
    size_t slices = npy->dimensions == 3 ? npy->shape[1] : 1;
    size_t views = npy->shape[0], channels = npy->shape[npy->dimensions - 1];

    if (views != g->views || channels != g->channels)
        return complain(err, PROACT_EINVAL,
                        "%s: %zu views of %zu channels do not fit the geometry's %u views "
                        "of %u channels",
                        path, views, channels, g->views, g->channels);
    scan->slices = (unsigned)slices;
    return scan_check(g, scan->slices, 1, err);
}

enum proact_status ct_scan_read_counts(const char *path, unsigned *views,
                                       unsigned *channels, struct proact_error *err)
{
    struct ct_npy npy;
    enum proact_status status = ct_npy_read(path, &npy, err);

    if (status)
        return status;
    if (!(status = scan_check_dimensions(path, &npy, err))) {
        *views = (unsigned)npy.shape[0];
        *channels = (unsigned)npy.shape[npy.dimensions - 1];
    }
    ct_npy_clear(&npy);
    return status;
}

static enum proact_status scan_check_object(const char *path, const struct ct_scan *scan,
                                            const struct ct_object *object,
                                            struct proact_error *err)
{
    const struct ct_geometry *g = &scan->geometry;

    if (!object || (object->slices == scan->slices && object->side == g->size))
        return PROACT_OK;
    return complain(
        err, PROACT_EINVAL,
        "the image of the shape (%u, %u, %u) does not fit the sinogram %s of %u "
        "views, %u slices and %u channels, which needs the shape (%u, %u, %u)",
        object->slices, object->side, object->side, path, g->views, scan->slices,
        g->channels, scan->slices, g->size, g->size);
}

/* Takes line integrals, by [view][slice][channel]. */
static enum proact_status scan_take_rays(const char *path, const struct ct_npy *npy,
                                         struct ct_scan *scan, struct proact_error *err)
{
    size_t views = scan->geometry.views, channels = scan->geometry.channels;
    size_t slices = scan->slices;

    scan->measured = app_calloc(slices * views * channels, sizeof *scan->measured);
    scan->weight = app_calloc(slices * views * channels, sizeof *scan->weight);
    for (size_t i = 0; i < slices * views * channels; i++) {
        size_t view = i / channels % views, slice = i / channels / views;
        double y = npy->value[(view * slices + slice) * channels + i % channels];

        if (!isfinite(y))
            return complain(err, PROACT_EINVAL,
                            "%s: the value of view %zu, slice %zu, channel %zu is %g", path,
                            view, slice, i % channels, y);
        scan->measured[i] = y;
        scan->weight[i] = exp(-(y > 0 ? y : 0));
    }
    return PROACT_OK;
}

enum proact_status ct_scan_read(const char *path, const struct ct_geometry *g,
                                const struct ct_object *object, struct ct_scan *out,
                                struct proact_error *err)
{
    struct ct_scan scan = {.geometry = *g, .field_mm = g->pixel_mm * g->size};
    struct ct_npy npy;
    enum proact_status status = ct_npy_read(path, &npy, err);

    if (status)
        return status;
    if (!(status = scan_take_shape(path, &npy, &scan, err)) &&
        !(status = scan_check_object(path, &scan, object, err)))
        status = scan_take_rays(path, &npy, &scan, err);
    ct_npy_clear(&npy);
    if (status) {
        ct_scan_clear(&scan);
        return status;
    }
    if (object)
        scan.truth = scan_truth(g, object);
    *out = scan;
    return PROACT_OK;
}

void ct_scan_clear(struct ct_scan *scan)
{
    free(scan->measured);
    free(scan->weight);
    free(scan->truth);
    *scan = (struct ct_scan){0};
}
