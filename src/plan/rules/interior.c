/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/rules/rules.h"

/* Minimum lengths of an interior: in waves, to hide the launch of a second kernel (some
   microseconds), and in multiples of the boundary. They are limits, because the time of a
   wave is not known where a launch is divided, and the model has no form of two kernels. */
enum { WAVES_MIN = 16, TIMES_MIN = 2 };

/* Interior and boundary of a partition are separate kernels if the interior is long. Where
   boundaries are serial, a longer one hides those of all devices. */
static unsigned interior_expand(const struct plan_problem *p, const struct plan *partial,
                                struct plan *out, unsigned most)
{
    const struct plan_interior *i = p->interior;

    if (!i || !most)
        return 0;
    const struct topology_device *t = &p->topology->device;
    const uint64_t edges = i->ctas - i->inside, times = i->is_serial ? p->device_count : 1;

    *out = *partial;
    out->interior =
        edges <= i->inside / TIMES_MIN &&
        i->inside * p->cta_threads >= WAVES_MIN * times * t->sm_count * t->threads_per_sm;
    return 1;
}

const struct plan_rule plan_rule_interior = {"interior", interior_expand};
