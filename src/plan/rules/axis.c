/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/rules/rules.h"

/* Ratios of modelled times. The model has no term for the host's evaluation of another
   axis, nor for launches that would then change theirs, so limits remain. */
enum {
    CLEARLY = 2,    /* required ratio of fetch times for the first change */
    AGAIN = 4,      /* the same for later changes */
    NOTICED = 2000, /* minimum time of the missing bytes on the links, in ns */
    PART = 16,      /* minimum fraction of the launch time, if that is known */
    SENT_PART = 8   /* tolerance of the readers' time, for boundaries */
};

static double axis_copies_ns(const struct plan_axes *a, uint64_t bytes, uint64_t copies)
{
    return (double)bytes / a->bytes_per_ns + (double)copies * a->copy_ns;
}

/* Time in which the missing bytes of an axis are fetched. */
static double axis_fetch_ns(const struct plan_axes *a, unsigned axis)
{
    return axis_copies_ns(a, a->axis[axis].missing_bytes, a->axis[axis].missing_copies);
}

/* Time in which the readers of the output get what they miss. */
static double axis_readers_ns(const struct plan_axes *a, unsigned axis)
{
    return axis_copies_ns(a, a->axis[axis].sent_bytes, a->axis[axis].sent_copies);
}

bool plan_axes_matter(const struct plan_axes *a)
{
    const double ns = (double)a->axis[a->present].missing_bytes / a->bytes_per_ns;

    return ns >= NOTICED && ns >= a->launch_ns / PART;
}

/* The readers of the output need no more additional time than the axis saves. */
static bool axis_suits_readers(const struct plan_axes *a, unsigned axis)
{
    const double spared = axis_fetch_ns(a, a->present) - axis_fetch_ns(a, axis);
    const double lost = axis_readers_ns(a, axis) - axis_readers_ns(a, a->present);

    return lost <= spared * (1 + 1.0 / SENT_PART);
}

/* The legal axis with the least fetch time, if it is far better than the present one.
   Several launches may each prefer their own axis, so a later change needs more. */
static unsigned axis_expand(const struct plan_problem *p, const struct plan *partial,
                            struct plan *out, unsigned most)
{
    const struct plan_axes *a = p->axes;

    if (!a || !most)
        return 0;
    unsigned best = a->present;

    for (unsigned d = 0; d < 3; d++)
        if (a->axis[d].is_legal && axis_fetch_ns(a, d) < axis_fetch_ns(a, best))
            best = d;
    if ((a->changes ? AGAIN : CLEARLY) * axis_fetch_ns(a, best) >=
            axis_fetch_ns(a, a->present) ||
        !axis_suits_readers(a, best))
        best = a->present;
    *out = *partial;
    out->axis = best + 1;
    return 1;
}

const struct plan_rule plan_rule_axis = {"axis", axis_expand};
