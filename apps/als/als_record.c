/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>

#include "als/als_setup.h"
#include "graph/complain.h"

static const double divergence_factor = 10; /* of the lowest training error */

void als_record_init(struct als_record *r, const struct rating_set *set,
                     const struct als_options *options)
{
    *r = (struct als_record){
        .set = set, .options = options, .marks.lowest = set->training_deviation};
    r->errors = app_calloc(options->sweeps_max, sizeof *r->errors);
}

bool als_record_is_due(const struct als_record *r, unsigned sweep)
{
    return sweep % r->options->report_sweeps == 0 || sweep == r->options->sweeps_max;
}

static enum proact_status refuse_divergence(const struct als_record *r, unsigned sweep,
                                            double training, struct proact_error *err)
{
    const struct als_options *o = r->options;
    const bool is_solve = o->update == ALS_SOLVE;
    char now[32];

    if (isfinite(training))
        snprintf(now, sizeof now, "%.4g", training);
    else
        snprintf(now, sizeof now, "infinity");
    return complain(err, PROACT_EINVAL,
                    "%s %g is too %s: the error grew from %.4g to %s in sweep %u; try %g",
                    is_solve ? "lambda" : "gamma", is_solve ? o->lambda : o->gamma,
                    is_solve ? "small" : "large", r->marks.lowest, now, sweep,
                    is_solve ? o->lambda * 10 : o->gamma / 2);
}

static bool has_converged(const struct als_record *r, double objective)
{
    double before = r->marks.last.objective;

    return r->marks.last.sweep && fabs(before - objective) < r->options->tolerance * before;
}

enum proact_status als_record_add(struct als_record *r, unsigned sweep,
                                  const struct als_sums *sums, struct proact_error *err)
{
    const struct rating_set *set = r->set;
    struct als_errors e = {.sweep = sweep};

    e.training = sqrt(sums->training / (double)set->training_count);
    if (set->validation_count)
        e.validation = sqrt(sums->validation / (double)set->validation_count);
    e.objective = sums->training + r->options->lambda * sums->penalty;
    if (r->options->ignores_errors)
        return PROACT_OK;
    if (!isfinite(e.objective) || !isfinite(e.validation) ||
        e.training > divergence_factor * r->marks.lowest)
        return refuse_divergence(r, sweep, e.training, err);
    r->converged = has_converged(r, e.objective);
    if (e.training < r->marks.lowest)
        r->marks.lowest = e.training;
    if (!r->marks.best.sweep || e.validation < r->marks.best.validation)
        r->marks.best = e;
    r->marks.last = e;
    r->errors[r->count++] = e;
    if (r->options->progress)
        r->options->progress(r->options->context, sweep, e.training);
    return PROACT_OK;
}
