/* SPDX-License-Identifier: Apache-2.0 */
/* The best plan of a search, and its way into the profile. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "tune/tune_search.h"

/* Without measurements, the session's default stays if its prediction is that close to the
   best one. */
static const double predictions_close = 1.25;

double tune_search_share(const struct tune_search *s, double total)
{
    return floor(total / s->iterations + 0.5);
}

/* The best prediction, or the default if it is close. */
static const struct profile_candidate *search_predicted(const struct tune_search *s)
{
    const struct profile_candidate *best = NULL;

    for (size_t i = 0; i < s->candidates.count; i++) {
        const struct profile_candidate *c = &s->candidates.all[i];

        if (!(c->predicted_ns > 0) || c->reason == PROFILE_UNSUPPORTED)
            continue;
        if (!best)
            best = c;
        if (strcmp(c->plan.method, "fused") == 0 &&
            c->predicted_ns <= predictions_close * best->predicted_ns)
            return c;
    }
    return best;
}

const struct profile_candidate *tune_search_best(const struct tune_search *s)
{
    const struct profile_candidate *best = NULL;

    for (size_t i = 0; i < s->candidates.count; i++) {
        const struct profile_candidate *c = &s->candidates.all[i];

        if (c->measured_ns > 0 && (!best || c->measured_ns < best->measured_ns))
            best = c;
    }
    return best ? best : search_predicted(s);
}

enum proact_status tune_search_save(const struct tune_search *s, struct proact_error *err)
{
    const struct profile_candidate *best = tune_search_best(s);
    const time_t now = time(NULL);
    struct tm utc;

    if (!best)
        return PROACT_OK;
    struct profile *p = profile_create();
    const bool is_mixed = s->mixed_ns > 0;
    struct profile_entry e = {.plan = best->plan,
                              .predicted_ns = best->predicted_ns,
                              .measured_ns = is_mixed ? s->mixed_ns : best->measured_ns,
                              .spread_ns = is_mixed ? s->mixed_spread_ns : best->spread_ns,
                              .runs = is_mixed ? s->mixed_runs : best->runs,
                              .candidates = s->candidates.all,
                              .candidate_count = s->candidates.count};

    strftime(e.date, sizeof e.date, "%Y-%m-%d", gmtime_r(&now, &utc));
    for (size_t i = 0; i < s->shape_count; i++) {
        e.key = s->shapes[i];
        if (is_mixed) {
            e.plan = s->plans_of[i]->plan;
            e.predicted_ns = s->plans_of[i]->predicted_ns;
        }
        profile_put(p, &e);
    }
    const enum proact_status status = profile_save(p, s->tune->path, err);

    profile_free(p);
    return status;
}
