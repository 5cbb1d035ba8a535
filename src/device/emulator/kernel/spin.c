/* SPDX-License-Identifier: Apache-2.0 */
#include "device/emulator/kernel/spin.h"

#include <math.h>

/* Warp instructions of a check: the flag's address, its load, the comparison, the next
   flag. */
enum { CHECK_INSTRUCTIONS = 16, SECTOR_BYTES = 32, WARP = 32 };

static const double l2_share_max = 0.9;

/* Time from one check of a warp to its next. */
static double check_ns(const struct topology_device *t)
{
    return t->l2_latency_ns + CHECK_INSTRUCTIONS * t->dependent_cycles / t->clock_ghz;
}

bool spin_is_waiting(const struct emulated *d, const struct resident *r,
                     enum execute_stop stop)
{
    const struct usage *u = &d->usage;

    return r->run->spin_checks && !u->stores && !u->sent_bytes && u->strong &&
           (stop == EXECUTE_BUDGET || stop == EXECUTE_STRONG);
}

uint64_t spin_pass_ps(const struct emulated *d, const struct kernel_run *run)
{
    return ps_of_ns(run->spin_checks * check_ns(&d->set->topology->device));
}

void spin_begin(struct emulated *d, struct resident *r)
{
    r->is_spinning = true;
    d->sms[r->sm].spin_warps += r->run->warps;
    d->spin_warps += r->run->warps;
}

void spin_end(struct emulated *d, struct resident *r)
{
    if (!r->is_spinning)
        return;
    r->is_spinning = false;
    d->sms[r->sm].spin_warps -= r->run->warps;
    d->spin_warps -= r->run->warps;
}

double spin_issue_factor(const struct emulated *d, uint32_t sm)
{
    const struct topology_device *t = &d->set->topology->device;
    const struct sm *at = &d->sms[sm];

    if (!at->spin_warps || at->threads <= at->spin_warps * WARP)
        return 1;
    const double warps = at->spin_warps;
    const double needed =
        warps * CHECK_INSTRUCTIONS / (t->issue_width * t->clock_ghz * check_ns(t));

    return 1 / (1 - fmin(needed, warps * WARP / at->threads));
}

double spin_l2_factor(const struct emulated *d)
{
    const struct topology_device *t = &d->set->topology->device;

    if (!d->spin_warps)
        return 1;
    return 1 / (1 - fmin(d->spin_warps * SECTOR_BYTES / check_ns(t) / t->l2_gbps,
                         l2_share_max));
}
