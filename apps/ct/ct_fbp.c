/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "ct/ct_host.h"
#include "graph/complain.h"

/* Filtered back-projection (Kak and Slaney, chapter 3): the ramp filter as a convolution,
   and linear interpolation between channels. */

static const double pi = 3.14159265358979323846;

/* Distance of channels in the variable of the filter: mm at the axis, or radians on an
   arc. */
static double fbp_pitch(const struct ct_geometry *g)
{
    if (g->beam == CT_PARALLEL)
        return g->pitch_mm;
    if (g->beam == CT_FAN_FLAT)
        return g->pitch_mm * g->source_to_axis_mm / g->source_to_detector_mm;
    return g->pitch_mm / g->source_to_detector_mm;
}

/* Filter at distance k. The views of a fan cover each ray twice. */
static double fbp_ramp(const struct ct_geometry *g, int k, double pitch)
{
    double distance = g->beam == CT_FAN_ARC ? sin(k * pitch) : k * pitch;
    double half = g->beam == CT_PARALLEL ? 1 : 0.5;

    if (k == 0)
        return half / (4 * pitch * pitch);
    return k % 2 ? -half / (pi * pi * distance * distance) : 0;
}

/* Weight of a channel before the filter. */
static double fbp_weight(const struct ct_geometry *g, double position)
{
    double source = g->source_to_axis_mm;

    if (g->beam == CT_PARALLEL)
        return 1;
    if (g->beam == CT_FAN_FLAT)
        return source / hypot(source, position);
    return source * cos(position);
}

static double *fbp_filter(const struct ct_tables *t, const double *measured)
{
    const struct ct_geometry *g = &t->geometry;
    int n = (int)g->channels;
    double *filtered = app_calloc((size_t)g->views * g->channels, sizeof *filtered);
    double *ramp = app_calloc(g->channels, sizeof *ramp), pitch = fbp_pitch(g);
    double *row = app_calloc(g->channels, sizeof *row);

    for (int k = 0; k < n; k++)
        ramp[k] = fbp_ramp(g, k, pitch) * pitch;
    for (unsigned v = 0; v < g->views; v++) {
        for (int k = 0; k < n; k++)
            row[k] = measured[(size_t)v * g->channels + (size_t)k] *
                     fbp_weight(g, (k + 0.5 - t->shape.centre) * pitch);
        for (int i = 0; i < n; i++) {
            double sum = 0;

            for (int k = 0; k < n; k++)
                sum += row[k] * ramp[abs(i - k)];
            filtered[(size_t)v * g->channels + (size_t)i] = sum;
        }
    }
    free(row);
    free(ramp);
    return filtered;
}

/* Value of one view at a point. */
static double fbp_at(const struct ct_tables *t, const double *filtered, unsigned view,
                     double x, double y)
{
    const struct ct_geometry *g = &t->geometry;
    double c = t->cosine[view], s = t->sine[view], along = x * c + y * s;
    double depth = g->source_to_axis_mm + x * s - y * c, at = along, weight = 1;

    if (g->beam == CT_FAN_FLAT) {
        at = g->source_to_axis_mm * along / depth;
        weight = g->source_to_axis_mm * g->source_to_axis_mm / (depth * depth);
    } else if (g->beam == CT_FAN_ARC) {
        at = atan(along / depth);
        weight = 1 / (depth * depth + along * along);
    }
    at = at / fbp_pitch(g) + t->shape.centre - 0.5;
    int k = (int)floor(at);

    if (k < 0 || k + 1 >= (int)g->channels)
        return 0;
    const double *row = filtered + (size_t)view * g->channels + k;

    return weight * ((1 - (at - k)) * row[0] + (at - k) * row[1]);
}

void ct_filtered_back_projection(const struct ct_tables *t, const double *measured,
                                 double *image)
{
    const struct ct_geometry *g = &t->geometry;
    double *filtered = fbp_filter(t, measured), middle = 0.5 * (g->size - 1);
    double turn = (g->beam == CT_PARALLEL ? pi : 2 * pi) / g->views;

    for (unsigned row = 0; row < g->size; row++)
        for (unsigned column = 0; column < g->size; column++) {
            double x = (column - middle) * g->pixel_mm, y = (middle - row) * g->pixel_mm;
            double sum = 0;

            for (unsigned v = 0; v < g->views && ct_in_field(g->size, row, column); v++)
                sum += fbp_at(t, filtered, v, x, y);
            image[row * (size_t)g->size + column] = sum > 0 ? sum * turn : 0;
        }
    free(filtered);
}
