/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "band/band_answer.h"
#include "graph/complain.h"

/* The columns of a row: entry k is at matrix[(from + k) * step], its column at first_column
   + k or column[from + k]. */
struct row_entries {
    const double *matrix;
    const uint32_t *column; /* NULL: consecutive */
    size_t from, step;
    uint32_t first_column, count;
};

static struct row_entries entries_of(const struct band_system *s, uint32_t i)
{
    uint32_t half = s->half_width, low = i < half ? half - i : 0;

    if (!s->diagonals)
        return (struct row_entries){s->value, s->column, s->first[i],
                                    1,        0,         s->first[i + 1] - s->first[i]};
    uint32_t end = s->rows - i > half ? 2 * half + 1 : s->rows - i + half;

    return (struct row_entries){s->diagonals + i, NULL,           low,
                                s->rows,          i + low - half, end - low};
}

static uint32_t entry_column(const struct row_entries *r, uint32_t k)
{
    return r->column ? r->column[r->from + k] : r->first_column + k;
}

/* One iteration; returns the square of the residual of `old`. */
static double iterate_f64(const struct band_system *s, const double *old, double *x)
{
    double square = 0;

    for (uint32_t i = 0; i < s->rows; i++) {
        struct row_entries row = entries_of(s, i);
        double rest = s->right[i];

        for (uint32_t k = 0; k < row.count; k++)
            rest = fma(-row.matrix[(row.from + k) * row.step], old[entry_column(&row, k)],
                       rest);
        x[i] = old[i] + rest / s->diagonal[i];
        square = fma(rest, rest, square);
    }
    return square;
}

static double iterate_f32(const struct band_system *s, const float *old, float *x)
{
    double square = 0;

    for (uint32_t i = 0; i < s->rows; i++) {
        struct row_entries row = entries_of(s, i);
        float rest = (float)s->right[i];

        for (uint32_t k = 0; k < row.count; k++)
            rest = fmaf(-(float)row.matrix[(row.from + k) * row.step],
                        old[entry_column(&row, k)], rest);
        x[i] = old[i] + rest / (float)s->diagonal[i];
        square = fma((double)rest, (double)rest, square);
    }
    return square;
}

enum proact_status band_reference(const struct band_system *s,
                                  const struct band_options *given, struct band_result *out,
                                  struct proact_error *err)
{
    struct band_options options;
    struct band_growth growth = {0};
    enum proact_status status = band_defaults(given, &options, err);

    if (status)
        return status;
    size_t bytes = options.type == BAND_F32 ? sizeof(float) : sizeof(double);
    struct band_result r = {.type = options.type}, next = {.type = options.type};

    r.x.any = app_calloc(s->rows, bytes);
    next.x.any = app_calloc(s->rows, bytes);
    for (;; r.iterations++) {
        double square = options.type == BAND_F32 ? iterate_f32(s, r.x.f32, next.x.f32)
                                                 : iterate_f64(s, r.x.f64, next.x.f64);
        void *swap = r.x.any;

        r.residual = sqrt(square) / band_scale(s);
        r.converged = r.residual < options.tolerance;
        if (options.progress)
            options.progress(options.context, r.iterations, r.residual);
        status = band_watch_growth(&growth, r.residual, err);
        if (status || r.converged || r.iterations == options.iterations_max)
            break;
        r.x.any = next.x.any;
        next.x.any = swap;
    }
    band_clear(&next);
    if (status)
        band_clear(&r);
    else
        *out = r;
    return status;
}
