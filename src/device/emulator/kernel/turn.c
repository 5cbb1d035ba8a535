/* SPDX-License-Identifier: Apache-2.0 */
/* What a turn of a CTA costs, and what it tells. */
#include <stdlib.h>

#include "base/short_name.h"
#include "device/emulator/kernel/kernel_run.h"

enum { BARRIER_CYCLES = 20 };
/* A CTA that looks again and again looks later the longer it has looked: less than a
   thousandth of that. Once nothing has changed on the whole machine for UNCHANGED_NS
   nothing is likely to, and steps are longer, so that the limit comes soon. */
enum { LOOK_SHARE = 1024, UNCHANGED_SHARE = 64, UNCHANGED_NS = 10000000 };
/* Loads in a turn that ran long; of the same address: it spins. */
enum { SPIN_LOADS = 64, SPIN_SHARE = 16 };
/* A CTA that neither stores nor ends for so long, and more than a wait may last, never
   will: it sleeps or looks at the clock, which is no work. */
enum { LIFE_MS = 10000 };
/* All CTAs of a kernel may work so many times longer than one of them, until one ends. */
enum { LIMITS_TOGETHER = 8 };

/* A thread that launches a kernel has to write its descriptor and ring for it. */
enum { CHILD_LAUNCH_NS = 1000 };

/* A shared server's delay for one of `sharers`: what lies before it, but no more than its
   fair part, for the hardware takes turns in smaller steps than we do. */
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

/* Of loads that are waited for, those that miss the L2 take longer. */
static double load_ns(const struct topology_device *t, const struct usage *u)
{
    double missed = u->waited ? (double)u->missed / (double)u->waited : 0;

    return t->l2_latency_ns + missed * (t->memory_latency_ns - t->l2_latency_ns);
}

/* A warp issues as fast as its own dependencies and the others on the SM let it, and
   between that it waits for what it loads; the L2 and the memory are shared by the whole
   device. */
uint64_t turn_cost(struct emulated *d, struct resident *r)
{
    const struct topology_device *t = &d->set->topology->device;
    const struct execute_cta *c = r->cta;
    struct sm *sm = &d->sms[r->sm];
    const struct usage *u = &d->usage;
    double cycle = PS / t->clock_ghz;
    uint64_t issue = longer(
        (uint64_t)((double)c->longest * t->dependent_cycles * cycle),
        shared_delay(&sm->issue_free_ps, d->now_ps,
                     (uint64_t)((double)c->issued / t->issue_width * cycle), sm->ctas));
    uint64_t cost = issue + (uint64_t)((double)c->barriers * BARRIER_CYCLES * cycle) +
                    (c->stalls + u->fences) * ps_of_ns(load_ns(t, u)) + u->fences_ps +
                    u->children * CHILD_LAUNCH_NS * (uint64_t)PS;

    cost = longer(
        cost, shared_delay(&d->memory_free_ps, d->now_ps,
                           ps_of_bytes(32.0 * (double)u->missed_sectors, t->memory_gbps),
                           d->resident_ctas));
    cost = longer(cost, shared_delay(&d->l2_free_ps, d->now_ps,
                                     ps_of_bytes(32.0 * (double)u->sectors, t->l2_gbps),
                                     d->resident_ctas));
    if (u->sent_bytes && !d->set->options.infinite_bandwidth)
        cost = longer(cost, sending_cost(d, r));
    if (u->atomics_ps > d->now_ps)
        cost = longer(cost, u->atomics_ps - d->now_ps);
    return longer(cost, (uint64_t)cycle);
}

/* It has nothing to wait for and yet does nothing that anybody could see. */
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

/* It works and works: sooner or later that has to end. */
static void check_work(struct emulated *d, struct resident *r, uint64_t worked_ps)
{
    uint64_t limit_ps = ps_of_ns(d->set->options.kernel_limit_ms * 1e6);
    struct kernel_run *run = r->run;

    r->worked_ps += worked_ps;
    run->worked_ps += worked_ps;
    if (r->worked_ps <= limit_ps && run->worked_ps / LIMITS_TOGETHER <= limit_ps)
        return;
    device_fault(d, PROACT_ETIMEOUT,
                 "kernel '%s' on device %u, CTA (%u,%u,%u), line %u: seems endless: "
                 "this CTA has run for %.0f ms (of %.0f allowed), and the %u "
                 "running CTAs together for %.0f ms (of %.0f) since one ended; a "
                 "longer wait timeout (PROACT_WAIT_TIMEOUT_MS, wait_timeout_ms) "
                 "allows more",
                 name_shorten(run->name).text, d->number, r->named[0], r->named[1],
                 r->named[2], execute_cta_line(r->cta), (double)r->worked_ps / PS * 1e-6,
                 d->set->options.kernel_limit_ms, run->live,
                 (double)run->worked_ps / PS * 1e-6,
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

/* Accesses that nearly all found what the one before had found. */
static bool many_of_one(uint64_t accesses, uint64_t fresh)
{
    return accesses >= SPIN_LOADS && fresh <= accesses / SPIN_SHARE;
}

uint64_t turn_watch(struct emulated *d, struct resident *r, enum execute_stop stop,
                    uint64_t end_ps)
{
    const struct usage *u = &d->usage;
    bool ran_long = stop == EXECUTE_BUDGET;
    bool slept = stop == EXECUTE_BLOCKED && r->cta->sleep_ns != 0;
    bool spins = ran_long && !u->stores &&
                 (many_of_one(u->loads, u->fresh_loads) || many_of_one(u->strong, u->news));
    /* It goes on by itself: as time passes, or as it computes. */
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
        return 0; /* before its look, or between two */
    if (spins && u->loads > u->strong) {
        r->poll_address = r->load_address;
        r->poll_line = r->load_line;
    }
    r->looks++;
    d->looks++;
    return look_step(d, r, end_ps);
}
