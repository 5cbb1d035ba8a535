/* SPDX-License-Identifier: Apache-2.0 */
/* Queries about forms in a launch: their bounds, and whether narrow parts stay in their
   range. */
#include "access/bounds/extent.h"
#include "access/bounds/facts.h"
#include "base/fail.h"

#include <inttypes.h>

bool access_bounds(const struct access_analysis *a, const struct access_form *form,
                   const struct access_guard *guards, uint32_t guard_count,
                   const struct access_launch *l, const int64_t *trips, int64_t *low,
                   int64_t *high)
{
    struct arena arena = {0};
    struct facts f;
    struct range r;

    facts_open(&f, &arena, a, l, trips);
    if (facts_fit(&f, a->ranges, a->range_count))
        facts_add_guards(&f, guards, guard_count);
    bool known = facts_bound(&f, form, &r);

    if (known) {
        *low = r.low;
        *high = r.high;
    }
    arena_clear(&arena);
    return known;
}

void extent_extremes(const struct access_range *w, int64_t *least, int64_t *most)
{
    *most = w->bits >= 64 ? INT64_MAX : ((int64_t)1 << (w->bits - w->is_signed)) - 1;
    *least = w->is_signed ? -*most - 1 : 0;
}

static bool lies_in(const struct extent *e, const struct access_range *w)
{
    int64_t least, most;
    struct range at;

    extent_extremes(w, &least, &most);
    return extent_of(e, w->form, &at) && at.low >= least && at.high <= most;
}

/* An assumption of a single branch (`x[b < n ? b * k : (b - n) * k]`) needs to hold only in
   threads that take the branch. */
static bool fits_there(const struct extent *e, const struct access_range *w)
{
    const struct access_way *above = w->block < 0 ? NULL : &e->analysis->above[w->block];
    struct extent now = *e;

    if (!above || !above->count)
        return false;
    facts_add_guards(&now.facts, above->guards, above->count);
    return facts_contradict(&now.facts) || lies_in(&now, w);
}

const struct access_range *extent_wraps(const struct extent *e,
                                        const struct access_record *r, uint32_t *next,
                                        int64_t bounds[2], bool *known)
{
    const struct access_analysis *a = e->analysis;
    int64_t least, most;
    struct range at;

    while (*next < r->range_count + a->range_count) {
        const uint32_t i = (*next)++;
        const struct access_range *w =
            i < r->range_count ? &r->ranges[i] : &a->ranges[i - r->range_count];

        if (range_fits(&e->facts.view, w->form, w->bits, w->is_signed))
            continue;
        extent_extremes(w, &least, &most);
        *known = extent_of(e, w->form, &at);
        if ((*known && at.low >= least && at.high <= most) || fits_there(e, w))
            continue;
        if (*known) {
            bounds[0] = at.low;
            bounds[1] = at.high;
        }
        return w;
    }
    return NULL;
}

const struct access_range *access_wraps(const struct access_analysis *a,
                                        const struct access_record *r,
                                        const struct access_launch *l, const int64_t *trips,
                                        int64_t bounds[2], bool *known)
{
    struct arena arena = {0};
    struct extent e;
    const struct access_range *w;
    uint32_t next = 0;

    extent_open(&e, &arena, a, r, l, trips);
    w = extent_wraps(&e, r, &next, bounds, known);
    arena_clear(&arena);
    return w;
}

enum proact_status access_check_wrap(const struct access_analysis *a,
                                     const struct access_record *r,
                                     const struct access_launch *l, const int64_t *trips,
                                     struct proact_error *err)
{
    int64_t bounds[2], least, most;
    bool known;
    const struct access_range *w = access_wraps(a, r, l, trips, bounds, &known);
    char text[120];

    if (!w)
        return PROACT_OK;
    access_form_text(a, w->form, text, sizeof text);
    if (!known)
        return fail(err, PROACT_EREFUSED, "%s:%" PRIu32 ": no bound of %s is known",
                    a->module->name, r->line, text);
    extent_extremes(w, &least, &most);
    return fail(err, PROACT_EREFUSED,
                "%s:%" PRIu32 ": %s may be between %" PRId64 " and %" PRId64
                ", outside its %u bits (%" PRId64 " to %" PRId64 ")",
                a->module->name, r->line, text, bounds[0], bounds[1], w->bits, least, most);
}
