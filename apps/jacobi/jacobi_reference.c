/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graph/complain.h"
#include "jacobi/jacobi.h"
#include "jacobi/jacobi_start.h"

enum { CELLS_MIN = 3, CELLS_MAX = 32768 }; /* two states of 4 GiB */

enum proact_status jacobi_start(const struct jacobi_options *given,
                                struct jacobi_options *options, float **cells,
                                struct proact_error *err)
{
    struct jacobi_options o = {0};

    if (given)
        o = *given;
    o.size = o.size ? o.size : 1024;
    o.iterations_max = o.iterations_max ? o.iterations_max : 100;
    o.tolerance = o.tolerance != 0 ? o.tolerance : 1e-6;
    if (o.size < CELLS_MIN || o.size > CELLS_MAX) {
        complain(err, PROACT_EINVAL, "jacobi: size %u is not from %d to %d", o.size,
                 CELLS_MIN, CELLS_MAX);
        return PROACT_EINVAL;
    }
    size_t n = o.size;
    float *start = app_calloc(n * n, sizeof *start);

    for (size_t y = 0; y < n; y++) {
        float edge = (float)sin(2 * 3.14159265358979323846 * (double)y / (double)(n - 1));

        start[y * n] = start[y * n + n - 1] = edge;
    }
    *options = o;
    *cells = start;
    return PROACT_OK;
}

/* Returns the sum of the squared changes. `next` already contains the edges. */
static double step(const float *cells, float *next, size_t n)
{
    double sum = 0;

    for (size_t y = 1; y + 1 < n; y++)
        for (size_t x = 1; x + 1 < n; x++) {
            const float *at = &cells[y * n + x];
            float mean = 0.25f * ((at[-1] + at[1]) + (*(at - n) + at[n]));
            double change = (double)mean - (double)*at;

            next[y * n + x] = mean;
            sum += change * change;
        }
    return sum;
}

enum proact_status jacobi_reference(const struct jacobi_options *given,
                                    struct jacobi_result *out, struct proact_error *err)
{
    struct jacobi_options options;
    float *cells;
    enum proact_status status = jacobi_start(given, &options, &cells, err);

    if (status)
        return status;
    size_t n = options.size;
    float *next = app_calloc(n * n, sizeof *next);
    struct jacobi_result r = {.size = options.size};

    memcpy(next, cells, n * n * sizeof *next);
    while (!r.converged && r.iterations < options.iterations_max) {
        float *swap = cells;

        r.residual = sqrt(step(cells, next, n));
        r.converged = r.residual < options.tolerance;
        r.iterations++;
        cells = next;
        next = swap;
        if (options.progress)
            options.progress(options.context, r.iterations, r.residual);
    }
    free(next);
    r.cells = cells;
    *out = r;
    return PROACT_OK;
}

void jacobi_clear(struct jacobi_result *r)
{
    free(r->cells);
    free(r->schedule.launches);
    *r = (struct jacobi_result){0};
}
