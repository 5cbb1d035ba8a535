/* SPDX-License-Identifier: Apache-2.0 */
#include "model/repeated_stores.h"

#include <math.h>

/* Instructions of a store, of those that are sent, and of each receiver. */
enum { EXITS = 11, REGIONS = 8, REGION = 11, CTA = 9, FOUND = 2, LOOP = 14, PEER = 11 };
enum { WARP = 32 };

/* Part of the issue slots of a kernel that its own instructions leave free, because its
   warps wait for memory. */
static const double free_slots = 0.5;

double model_repeated_stores_ns(const struct topology_device *d,
                                const struct model_problem *p, double wave,
                                const struct model_candidate *c)
{
    const double ctas =
        c->waves < 1 ? ceil((double)p->ctas / d->sm_count) : wave / d->sm_count;
    const double turn_cycles = ctas * ceil(p->threads / (double)WARP) / d->issue_width;
    const double search = p->regions ? REGIONS + REGION * p->regions : CTA;
    const double instructions =
        p->stores *
        (EXITS + search + FOUND + p->sent_share * (LOOP + (double)PEER * p->receivers));
    const double own_ns =
        instructions * fmax(d->dependent_cycles, turn_cycles) / d->clock_ghz;
    const double free_part = free_slots * fmax(1 - d->dependent_cycles / turn_cycles, 0);

    return fmax(own_ns - free_part * c->kernel_ns / fmax(c->length, 1), 0);
}
