/* SPDX-License-Identifier: Apache-2.0 */
/* Different plans for the shapes of an application. */
#include <string.h>

#include "base/clock.h"
#include "base/fail.h"
#include "base/memory.h"
#include "runtime/autotune/session_profile.h"
#include "tune/tune_search.h"

/* Gives the session the plans of the shapes. */
static void search_opened_mixed(void *context, struct proact *p)
{
    const struct tune_search *s = context;

    for (size_t i = 0; i < s->shape_count; i++)
        session_profile_put(p, &(struct profile_entry){.key = s->shapes[i],
                                                       .plan = s->plans_of[i]->plan,
                                                       .is_pinned = true});
}

/* Tries another plan for one shape, and keeps it if the run is faster. */
static enum proact_status search_try(struct tune_search *s, size_t shape,
                                     const struct profile_candidate *c,
                                     struct proact_error *err)
{
    const struct profile_candidate *before = s->plans_of[shape];
    const struct run_plan mixed = {.opened = search_opened_mixed, .context = s};
    struct run_row row;

    s->plans_of[shape] = c;
    const enum proact_status status = run_plans_time(s->plans, &mixed, &row, err);
    const double ns = status ? 0 : tune_search_share(s, (double)row.time.ns);
    const double best_ns = s->mixed_ns > 0 ? s->mixed_ns : tune_search_best(s)->measured_ns;

    s->mixed_timed += !status;
    if (status || !row.equal || ns >= best_ns) {
        s->plans_of[shape] = before;
        s->differs |= !status && !row.equal;
        return status || row.equal
                   ? status
                   : fail(err, PROACT_EFAULT,
                          "several plans: the answer differs from that of one device");
    }
    s->mixed_ns = ns;
    s->mixed_spread_ns = tune_search_share(s, (double)row.time.spread_ns);
    s->mixed_runs = row.time.runs;
    return tune_search_save(s, err);
}

/* The fastest candidate with another method than those of `seen`; NULL: none. */
static const struct profile_candidate *search_next_method(const struct tune_search *s,
                                                          const char *const *seen,
                                                          unsigned count)
{
    const struct profile_candidate *best = NULL;

    for (size_t i = 0; i < s->candidates.count; i++) {
        const struct profile_candidate *c = &s->candidates.all[i];
        bool is_seen = !(c->measured_ns > 0);

        for (unsigned n = 0; n < count; n++)
            is_seen |= strcmp(seen[n], c->plan.method) == 0;
        if (!is_seen && (!best || c->measured_ns < best->measured_ns))
            best = c;
    }
    return best;
}

enum proact_status tune_search_refine(struct tune_search *s, struct proact_error *err)
{
    enum { METHODS = 3 };
    const struct profile_candidate *best = tune_search_best(s);
    const bool is_fixed = s->request->chunk_bytes || s->request->threads;
    enum proact_status status = PROACT_OK;

    if (!best || !(best->measured_ns > 0) || s->shape_count < 2 || is_fixed)
        return PROACT_OK;
    s->plans_of = must_calloc(s->shape_count, sizeof *s->plans_of);
    for (size_t i = 0; i < s->shape_count; i++)
        s->plans_of[i] = best;
    for (size_t i = 0; i < s->shape_count; i++) {
        const char *seen[METHODS] = {best->plan.method};

        for (unsigned n = 1; n < METHODS && !status; n++) {
            const struct profile_candidate *c = search_next_method(s, seen, n);

            if (!c || (s->until_ns && clock_host_ns() >= s->until_ns))
                break;
            seen[n] = c->plan.method;
            status = search_try(s, i, c, err);
        }
    }
    return status;
}
