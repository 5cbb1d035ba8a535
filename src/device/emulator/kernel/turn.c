/* SPDX-License-Identifier: Apache-2.0 */
/* Duration and progress of a turn of a CTA. */
#include <stdlib.h>

#include "base/short_name.h"
#include "device/emulator/kernel/kernel_run.h"
#include "device/emulator/kernel/spin.h"

enum { BARRIER_CYCLES = 20 };
/* Delay of polling CTAs. It grows with the time of unsuccessful polling and is less than a
   thousandth of that. After UNCHANGED_NS without any change on the machine a change is
   unlikely, and delays grow, so that the wait limit is reached with few polls. */
enum { LOOK_SHARE = 1024, UNCHANGED_SHARE = 64, UNCHANGED_NS = 10000000 };
/* A turn that used its budget spins if it has SPIN_LOADS loads, and at most one of
   SPIN_SHARE changes the address. */
enum { SPIN_LOADS = 64, SPIN_SHARE = 16 };
/* Limit for a CTA without a store and without an end, if it exceeds the wait limit.
   Sleeping and reading the clock are not work. */
enum { LIFE_MS = 10000 };
/* Limit for the work of all CTAs of a kernel between two ends, relative to that of one
   CTA. */
enum { LIMITS_TOGETHER = 8 };

/* A launch by a thread writes the descriptor and notifies the device. */
enum { CHILD_LAUNCH_NS = 1000 };

/* Delay at a server that `sharers` use: its backlog, limited to the fair share, since
   hardware interleaves in smaller steps. */
static uint64_t shared_delay(uint64_t *free_ps, uint64_t now_ps, uint64_t work_ps,
                             uint64_t sharers)
{
    uint64_t backlog = serve(free_ps, now_ps, work_ps) - now_ps, fair = work_ps * sharers;

    return backlog < fair ? backlog : fair;
}

static uint64_t longer(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t sending_cost(struct emulated *d, struct resident *r)
{
    const struct topology_fabric *f = &d->set->topology->fabric;
    const struct usage *u = &d->usage;
    uint64_t queue = OUT_QUEUE_NS * (uint64_t)PS, cost;

    serve(&r->sent_free_ps, d->now_ps,
          ps_of_bytes((double)u->sent_bytes, f->sm_gbps_per_cta));
    cost = r->sent_free_ps - d->now_ps;
    if (u->leaves_ps > d->now_ps + queue)
        cost = longer(cost, u->leaves_ps - d->now_ps - queue);
    return cost;
}

/* Average load latency, weighted by the L2 misses. */
static double load_ns(const struct topology_device *t, const struct usage *u)
{
    double missed = u->waited ? (double)u->missed / (double)u->waited : 0;

    return t->l2_latency_ns + missed * (t->memory_latency_ns - t->l2_latency_ns);
}

/* Cost of a turn. Issue is limited by the warp's dependences and by the other warps of the
   SM; load latencies add to it. The device shares L2 and memory. */
uint64_t turn_cost(struct emulated *d, struct resident *r)
{
    const struct topology_device *t = &d->set->topology->device;
    struct sm *sm = &d->sms[r->sm];
    const struct usage *u = &d->usage;
    double cycle = PS / t->clock_ghz;
    uint64_t issue = longer((uint64_t)((double)u->longest * t->dependent_cycles * cycle),
                            shared_delay(&sm->issue_free_ps, d->now_ps,
                                         (uint64_t)((double)u->issued / t->issue_width *
                                                    cycle * spin_issue_factor(d, r->sm)),
                                         sm->ctas));
    uint64_t cost = issue + (uint64_t)((double)u->barriers * BARRIER_CYCLES * cycle) +
                    (u->stalls + u->fences) * ps_of_ns(load_ns(t, u)) + u->fences_ps +
                    u->children * CHILD_LAUNCH_NS * (uint64_t)PS;

    cost = longer(
        cost, shared_delay(&d->memory_free_ps, d->now_ps,
                           ps_of_bytes(32.0 * (double)u->missed_sectors, t->memory_gbps),
                           d->resident_ctas));
    cost = longer(
        cost,
        shared_delay(&d->l2_free_ps, d->now_ps,
                     ps_of_bytes(32.0 * (double)u->sectors * spin_l2_factor(d), t->l2_gbps),
                     d->resident_ctas));
    if (t->misses_per_sm > 0)
        cost = longer(cost, shared_delay(&sm->miss_free_ps, d->now_ps,
                                         ps_of_ns((double)u->awaited_sectors *
                                                  t->memory_latency_ns / t->misses_per_sm),
                                         sm->ctas));
    if (u->sent_bytes && !d->set->options.infinite_bandwidth)
        cost = longer(cost, sending_cost(d, r));
    if (u->atomics_ps > d->now_ps)
        cost = longer(cost, u->atomics_ps - d->now_ps);
    return longer(cost, (uint64_t)cycle);
}

/* Limit for a CTA that never blocks and has no visible effect. */
static void check_life(struct emulated *d, const struct resident *r)
{
    double limit_ms = d->set->options.wait_limit_ms;

    if (limit_ms < LIFE_MS)
        limit_ms = LIFE_MS;
    if (d->now_ps - r->active_ps > ps_of_ns(limit_ms * 1e6))
        device_fault(d, PROACT_ETIMEOUT,
                     "kernel '%s' on device %u, CTA (%u,%u,%u) has run for %.0f ms without "
                     "a store",
                     name_shorten(r->run->name).text, d->number, r->named[0], r->named[1],
                     r->named[2], limit_ms);
}

/* Limit for a CTA that works without ending. */
static void check_work(struct emulated *d, struct resident *r, uint64_t worked_ps)
{
    uint64_t limit_ps = ps_of_ns(d->set->options.kernel_limit_ms * 1e6);
    struct kernel_run *run = r->run;

    r->worked_ps += worked_ps;
    run->worked_ps += worked_ps;
    if (r->worked_ps <= limit_ps && run->worked_ps / LIMITS_TOGETHER <= limit_ps)
        return;
    device_fault(d, PROACT_ETIMEOUT,
                 "kernel '%s' on device %u, CTA (%u,%u,%u), PTX line %u: seems endless: "
                 "this CTA has run for %.0f ms (of %.0f allowed), and the %u "
                 "running CTAs together for %.0f ms (of %.0f) since one ended; a "
                 "longer wait timeout (PROACT_WAIT_TIMEOUT_MS, wait_timeout_ms) "
                 "allows more",
                 name_shorten(run->name).text, d->number, r->named[0], r->named[1],
                 r->named[2], r->cta ? execute_cta_line(r->cta) : 0,
                 (double)r->worked_ps / PS * 1e-6, d->set->options.kernel_limit_ms,
                 run->live, (double)run->worked_ps / PS * 1e-6,
                 d->set->options.kernel_limit_ms * LIMITS_TOGETHER);
}

static uint64_t look_step(const struct emulated *d, const struct resident *r,
                          uint64_t end_ps)
{
    uint64_t step = (end_ps - r->unchanged_ps) / LOOK_SHARE;
    uint64_t unchanged =
        d->now_ps > d->set->changed_ps ? d->now_ps - d->set->changed_ps : 0;

    return unchanged > UNCHANGED_NS * (uint64_t)PS
               ? longer(step, unchanged / UNCHANGED_SHARE)
               : step;
}

/* Whether nearly all accesses repeated the previous one. */
static bool many_of_one(uint64_t accesses, uint64_t fresh)
{
    return accesses >= SPIN_LOADS && fresh <= accesses / SPIN_SHARE;
}

uint64_t turn_watch(struct emulated *d, struct resident *r, enum execute_stop stop,
                    uint64_t end_ps)
{
    const struct usage *u = &d->usage;

    if (spin_is_waiting(d, r, stop)) {
        if (!r->looks)
            r->unchanged_ps = end_ps;
        r->looks++;
        d->looks++;
        return longer(spin_pass_ps(d, r->run), look_step(d, r, end_ps));
    }
    bool ran_long = stop == EXECUTE_BUDGET;
    bool slept = stop == EXECUTE_BLOCKED && r->cta->sleep_ns != 0;
    bool spins = ran_long && !u->stores &&
                 (many_of_one(u->loads, u->fresh_loads) || many_of_one(u->strong, u->news));
    /* progress without others: by time, or by computing */
    bool works = u->meetings || (ran_long && !spins);
    bool goes_on = u->clocks || works || (slept && !u->strong && !u->loads);

    if (stop != EXECUTE_EXITED && (u->stores || works))
        check_work(d, r, end_ps - d->now_ps);
    if (u->stores)
        r->active_ps = end_ps;
    else if (goes_on)
        check_life(d, r);
    d->changes += u->stores || goes_on;
    if (u->stores || (u->news && !spins) || goes_on || !r->unchanged_ps) {
        r->looks = 0;
        r->unchanged_ps = end_ps;
        return 0;
    }
    if (!u->strong && !spins)
        return 0; /* no poll in this turn */
    if (spins && u->loads > u->strong) {
        r->poll_address = r->load_address;
        r->poll_line = r->load_line;
    }
    r->looks++;
    d->looks++;
    return look_step(d, r, end_ps);
}
