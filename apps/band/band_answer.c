/* SPDX-License-Identifier: Apache-2.0 */
#include "band/band_answer.h"

#include <math.h>
#include <stdlib.h>

#include "graph/complain.h"

enum { RISING_MAX = 10 };

enum proact_status band_defaults(const struct band_options *given, struct band_options *out,
                                 struct proact_error *err)
{
    struct band_options o = {0};

    if (given)
        o = *given;
    bool is_default = !(fabs(o.tolerance) > 0);

    if (is_default)
        o.tolerance = o.type == BAND_F32 ? BAND_F32_TOLERANCE_MIN : 1e-10;
    o.iterations_max = o.iterations_max ? o.iterations_max : 2000;
    if (o.type == BAND_F32 && o.tolerance > 0 && o.tolerance < BAND_F32_TOLERANCE_MIN)
        return complain(err, PROACT_EINVAL,
                        "band: the tolerance is %g, but f32 reaches no residual below %g",
                        o.tolerance, BAND_F32_TOLERANCE_MIN);
    *out = o;
    return PROACT_OK;
}

double band_scale(const struct band_system *s)
{
    return s->right_norm > 0 ? s->right_norm : 1;
}

enum proact_status band_watch_growth(struct band_growth *growth, double residual,
                                     struct proact_error *err)
{
    bool rises = growth->seen && !(residual <= growth->last);

    if (rises && growth->rising == 0)
        growth->from = growth->last;
    growth->rising = rises ? growth->rising + 1 : 0;
    growth->seen++;
    growth->last = residual;
    if (growth->rising < RISING_MAX)
        return PROACT_OK;
    return complain(err, PROACT_EINVAL,
                    "diverges: the residual grew in %d iterations in a row, from %.6g to "
                    "%.6g",
                    RISING_MAX, growth->from, residual);
}

double band_error(const struct band_system *s, const struct band_result *r)
{
    double largest = 0;

    for (uint32_t i = 0; i < s->rows; i++) {
        double x = r->type == BAND_F32 ? (double)r->x.f32[i] : r->x.f64[i];

        largest = fmax(largest, fabs(x - s->solution[i]));
    }
    return largest;
}

void band_clear(struct band_result *r)
{
    free(r->x.any);
    free(r->schedule.launches);
    *r = (struct band_result){0};
}
