/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "ct/ct_host.h"
#include "graph/complain.h"

enum { SIZE_DEFAULT = 256, SIZE_MAX_PIXELS = 8192, COUNT_MAX = 65536 };
enum { PARALLEL_VIEWS = 360, FAN_VIEWS = 984, FAN_CHANNELS = 888 };

static const double pi = 3.14159265358979323846;
static const double fan_pitch_mm = 1.0239, fan_offset = 1.25;
static const double fan_to_axis_mm = 541, fan_to_detector_mm = 949.075;

struct ct_geometry ct_geometry_make(enum ct_beam beam, unsigned size, unsigned views,
                                    unsigned channels, double field_mm)
{
    struct ct_geometry g = {.beam = beam, .size = size ? size : SIZE_DEFAULT};

    g.pixel_mm = field_mm / g.size;
    if (beam == CT_PARALLEL) {
        g.views = views ? views : PARALLEL_VIEWS;
        g.channels = channels ? channels : g.size + g.size / 2;
        g.pitch_mm = field_mm * 1.1 / g.channels;
        g.offset = 0.25;
        g.arc_degrees = 180;
        return g;
    }
    g.views = views ? views : FAN_VIEWS;
    g.channels = channels ? channels : FAN_CHANNELS;
    g.pitch_mm = fan_pitch_mm * FAN_CHANNELS / g.channels;
    g.offset = fan_offset;
    g.source_to_axis_mm = fan_to_axis_mm;
    g.source_to_detector_mm = fan_to_detector_mm;
    g.arc_degrees = 360;
    return g;
}

/* Kernels count the rays of a slice in 32 bits, in steps of less than RAYS_MAX. */
#define RAYS_MAX (1u << 31)

static unsigned long long geometry_rays(const struct ct_geometry *g)
{
    return (unsigned long long)g->views * g->channels;
}

static enum proact_status geometry_check_counts(const struct ct_geometry *g,
                                                struct proact_error *err)
{
    if (g->size < 2 || g->size > SIZE_MAX_PIXELS)
        return complain(err, PROACT_EINVAL, "ct: size %u is not from 2 to %d", g->size,
                        SIZE_MAX_PIXELS);
    if (g->views < 1 || g->views > COUNT_MAX)
        return complain(err, PROACT_EINVAL, "ct: %u views are not from 1 to %d", g->views,
                        COUNT_MAX);
    if (g->channels < 1 || g->channels > COUNT_MAX)
        return complain(err, PROACT_EINVAL, "ct: %u channels are not from 1 to %d",
                        g->channels, COUNT_MAX);
    if (geometry_rays(g) > RAYS_MAX)
        return complain(err, PROACT_EINVAL,
                        "ct: %u views of %u channels are %llu rays, the limit is %u",
                        g->views, g->channels, geometry_rays(g), RAYS_MAX);
    return PROACT_OK;
}

static unsigned long long geometry_tiles(const struct ct_geometry *g)
{
    const unsigned long long columns = (g->size + CT_TILE_X - 1ULL) / CT_TILE_X;

    return columns * ((g->size + CT_TILE_Y - 1ULL) / CT_TILE_Y);
}

enum proact_status ct_geometry_check_slices(const struct ct_geometry *g, unsigned slices,
                                            struct proact_error *err)
{
    const unsigned long long pixels = (unsigned long long)g->size * g->size;
    const unsigned long long rays = geometry_rays(g), tiles = geometry_tiles(g);
    const unsigned long long ray_ctas = (rays + CT_RAYS - 1) / CT_RAYS;
    const unsigned long long ctas = ray_ctas > tiles ? ray_ctas : tiles;

    if (slices * ctas > INT32_MAX)
        return complain(err, PROACT_EINVAL,
                        "ct: %u slices of %llu rays and %llu pixels are %llu CTAs, the "
                        "limit is %d",
                        slices, rays, pixels, slices * ctas, INT32_MAX);
    return PROACT_OK;
}

/* The largest footprint, of a pixel's diagonal. */
static enum proact_status geometry_check_span(const struct ct_geometry *g,
                                              double magnification,
                                              struct proact_error *err)
{
    double channels = g->pixel_mm * sqrt(2) * magnification / g->pitch_mm;

    if (channels + 2 < CT_SPAN_MAX)
        return PROACT_OK;
    return complain(err, PROACT_EINVAL,
                    "ct: a pixel of %g mm covers %.0f channels of %g mm: at most %d are "
                    "supported",
                    g->pixel_mm, channels, g->pitch_mm, CT_SPAN_MAX - 2);
}

enum proact_status ct_geometry_check(const struct ct_geometry *g, struct proact_error *err)
{
    enum proact_status status = geometry_check_counts(g, err);
    double field = g->pixel_mm * g->size;

    if (status)
        return status;
    if (!(g->pixel_mm > 0 && g->pitch_mm > 0 && g->arc_degrees > 0))
        return complain(
            err, PROACT_EINVAL,
            "ct: pixels of %g mm, channels of %g mm or an arc of %g degrees are "
            "not positive",
            g->pixel_mm, g->pitch_mm, g->arc_degrees);
    if (g->beam == CT_PARALLEL)
        return geometry_check_span(g, 1, err);
    if (!(field * sqrt(0.5) < 0.95 * g->source_to_axis_mm))
        return complain(err, PROACT_EINVAL,
                        "ct: an image of %g mm reaches the source, %g mm from the axis",
                        field, g->source_to_axis_mm);
    double half_mm = (0.5 * g->channels + fabs(g->offset)) * g->pitch_mm;
    double limit_mm = g->source_to_detector_mm * (g->beam == CT_FAN_ARC ? pi / 4 : 1);

    if (!(half_mm < limit_mm))
        return complain(err, PROACT_EINVAL,
                        "ct: %u channels of %g mm cover more than a quarter turn at %g mm",
                        g->channels, g->pitch_mm, g->source_to_detector_mm);
    return geometry_check_span(
        g, g->source_to_detector_mm / (g->source_to_axis_mm - field / 2), err);
}

double ct_geometry_needed_degrees(const struct ct_geometry *g)
{
    double radius = 0.5 * g->pixel_mm * g->size;

    if (g->beam == CT_PARALLEL)
        return 180;
    return 180 + 2 * asin(radius / g->source_to_axis_mm) * 180 / pi;
}

void ct_tables_init(struct ct_tables *t, const struct ct_geometry *g)
{
    bool fan = g->beam != CT_PARALLEL;
    unsigned rays = g->views * g->channels;

    *t = (struct ct_tables){.geometry = *g};
    t->cosine = app_calloc(g->views, sizeof *t->cosine);
    t->sine = app_calloc(g->views, sizeof *t->sine);
    t->edge = app_calloc(g->channels + 1UL, sizeof *t->edge);
    for (unsigned v = 0; v < g->views; v++) {
        double angle = g->arc_degrees / 180 * pi * v / g->views;

        t->cosine[v] = cos(angle);
        t->sine[v] = sin(angle);
    }
    t->shape = (struct ct_shape){
        .source = fan ? g->source_to_axis_mm / g->pixel_mm : 1,
        .tilt = fan,
        .scale = (fan ? g->source_to_detector_mm : g->pixel_mm) / g->pitch_mm,
        .centre = 0.5 * g->channels - g->offset,
        .pixel = g->pixel_mm,
        .beam = g->beam,
        .size = g->size,
        .channels = g->channels,
        .views = g->views,
        .subsets = 1,
        .ray_ctas = (rays + CT_RAYS - 1) / CT_RAYS,
        .pixel_ctas = (unsigned)geometry_tiles(g),
        .tile_columns = (g->size + CT_TILE_X - 1) / CT_TILE_X,
    };
    for (unsigned k = 0; k <= g->channels; k++) {
        double at = (k - t->shape.centre) / t->shape.scale;

        t->edge[k] = g->beam == CT_FAN_ARC ? tan(at) : at;
    }
}

void ct_tables_clear(struct ct_tables *t)
{
    free(t->cosine);
    free(t->sine);
    free(t->edge);
    *t = (struct ct_tables){0};
}

bool ct_in_field(unsigned size, unsigned row, unsigned column)
{
    double middle = 0.5 * (size - 1), x = column - middle, y = middle - row;

    return x * x + y * y <= 0.25 * size * size;
}

double ct_to_hu(double attenuation)
{
    return (attenuation / CT_WATER - 1) * 1000;
}
