/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/rules/rules.h"

/* Ratios of bytes, which are those of modelled times: all fetches have the same G. The
   model has no term for the host's evaluation of another axis, nor for launches that would
   then change theirs, so limits remain. */
enum {
    CLEARLY = 2,    /* required ratio of missing bytes for the first change */
    AGAIN = 4,      /* the same for later changes */
    NOTICED = 2000, /* minimum fetch time of the missing bytes in ns */
    PART = 16,      /* minimum fraction of the launch time, if that is known */
    SENT_PART = 8   /* tolerance of the sent bytes, for boundaries */
};

bool plan_axes_matter(const struct plan_axes *a)
{
    const double ns = (double)a->axis[a->present].missing_bytes / a->bytes_per_ns;

    return ns >= NOTICED && ns >= a->launch_ns / PART;
}

/* The readers of the output need no more additional bytes than the axis saves. */
static bool axis_suits_readers(const struct plan_axis *now, const struct plan_axis *then)
{
    const uint64_t spared = now->missing_bytes - then->missing_bytes;

    return then->sent_bytes <= now->sent_bytes + spared + spared / SENT_PART;
}

/* The legal axis with the least missing bytes, if it is far better than the present one.
   Several launches may each prefer their own axis, so a later change needs more. */
static unsigned axis_expand(const struct plan_problem *p, const struct plan *partial,
                            struct plan *out, unsigned most)
{
    const struct plan_axes *a = p->axes;

    if (!a || !most)
        return 0;
    const struct plan_axis *present = &a->axis[a->present];
    unsigned best = a->present;

    for (unsigned d = 0; d < 3; d++)
        if (a->axis[d].is_legal && a->axis[d].missing_bytes < a->axis[best].missing_bytes)
            best = d;
    const uint64_t times = a->changes ? AGAIN : CLEARLY;

    if (times * a->axis[best].missing_bytes >= present->missing_bytes ||
        !axis_suits_readers(present, &a->axis[best]))
        best = a->present;
    *out = *partial;
    out->axis = best + 1;
    return 1;
}

const struct plan_rule plan_rule_axis = {"axis", axis_expand};
