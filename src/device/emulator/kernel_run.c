/* SPDX-License-Identifier: Apache-2.0 */
#include "device/emulator/kernel_run.h"

#include <stdlib.h>

#include "base/memory.h"
#include "device/emulator/checked.h"
#include "device/emulator/message.h"
#include "device/emulator/span_log.h"
#include "device/emulator/stream.h"

/* Warp instructions of a CTA in one turn: bounds how far it runs ahead of its time. */
enum { TURN_BUDGET = 4096, BARRIER_CYCLES = 20, JITTER_NS = 300 };
/* Stores that a CTA may have waiting for the way out, as time of that way. */
enum { OUT_QUEUE_NS = 2000 };

static void cta_turn(struct emulated *d, void *subject, uint64_t detail);

static void schedule(struct emulated *d, struct resident *r, uint64_t time_ps)
{
    r->scheduled = true;
    agenda_push(&d->agenda, (struct happening){
                                .time_ps = time_ps > d->now_ps ? time_ps : d->now_ps,
                                .tie = d->set->options.seed ? random_next(&d->chance) : 0,
                                .happen = cta_turn,
                                .subject = r});
}

static void kernel_done(struct emulated *d, void *subject, uint64_t detail)
{
    struct kernel_run *run = subject, **link = &d->running;

    (void)detail;
    while (*link != run)
        link = &(*link)->next;
    *link = run->next;
    span_add(d, DEVICE_SPAN_KERNEL, stream_lane(run->operation), run->name, run->start_ps,
             d->now_ps, 0);
    struct operation *operation = run->operation;

    execute_grid_destroy(run->grid);
    free(run->known);
    free(run->unit_left);
    free(run);
    operation_done(d, operation);
}

/* Where the next CTA of the run fits: the SM with the most free threads. */
static bool find_sm(const struct emulated *d, const struct kernel_run *run, uint32_t *out)
{
    const struct topology_device *t = &d->set->topology->device;
    uint32_t best_threads = 0;
    bool found = false;

    for (uint32_t i = 0; i < t->sm_count; i++) {
        const struct sm *sm = &d->sms[i];
        uint32_t left = t->threads_per_sm - sm->threads;

        if (left < run->threads || sm->ctas >= t->ctas_per_sm ||
            sm->shared_bytes + run->shared_bytes > t->shared_bytes_per_sm)
            continue;
        if (!found || left > best_threads) {
            best_threads = left;
            *out = i;
            found = true;
        }
    }
    return found;
}

static void cta_begin(struct emulated *d, struct kernel_run *run, uint32_t sm)
{
    struct resident *r = must_calloc(1, sizeof *r);
    uint32_t n = run->next_cta++;
    const uint32_t *grid = run->launch.grid;
    uint32_t id[3] = {n % grid[0], n / grid[0] % grid[1], n / grid[0] / grid[1]};
    uint64_t wait_ps = 0;

    r->cta = execute_cta_create(run->grid, d->pool, id, sm);
    r->cta->user = r;
    r->run = run;
    r->sm = sm;
    r->began_ps = d->now_ps;
    r->next = d->residents;
    if (r->next)
        r->next->previous = r;
    d->residents = r;
    d->sms[sm].threads += run->threads;
    d->sms[sm].ctas++;
    d->sms[sm].shared_bytes += run->shared_bytes;
    d->resident_ctas++;
    run->live++;
    checked_cta_begin(d, r);
    if (d->set->options.seed)
        wait_ps = random_below(&d->chance, JITTER_NS) * PS;
    schedule(d, r, d->now_ps + wait_ps);
}

static void dispatch(struct emulated *d)
{
    uint32_t sm;

    for (struct kernel_run *run = d->running; run; run = run->next)
        while (run->next_cta < run->total && find_sm(d, run, &sm))
            cta_begin(d, run, sm);
}

static void resident_free(struct emulated *d, struct resident *r)
{
    struct sm *sm = &d->sms[r->sm];

    sm->threads -= r->run->threads;
    sm->ctas--;
    sm->shared_bytes -= r->run->shared_bytes;
    d->resident_ctas--;
    if (r->next)
        r->next->previous = r->previous;
    if (r->previous)
        r->previous->next = r->next;
    else
        d->residents = r->next;
    execute_cta_destroy(r->cta);
    free(r->warp_actors);
    free(r);
}

static void cta_end(struct emulated *d, void *subject, uint64_t detail)
{
    struct resident *r = subject;
    struct kernel_run *run = r->run;

    (void)detail;
    d->changes++;
    checked_cta_end(d, r);
    if (run->unit)
        unit_count(d, run, r->cta->number);
    resident_free(d, r);
    run->live--;
    dispatch(d);
    if (!run->live && run->next_cta == run->total)
        when_acknowledged(d, kernel_done, run, 0);
}

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

/* Of loads that are waited for, those that miss the L2 take longer. */
static double load_ns(const struct topology_device *t, const struct usage *u)
{
    double missed = u->loads ? (double)u->missed_loads / (double)u->loads : 0;

    return t->l2_latency_ns + missed * (t->memory_latency_ns - t->l2_latency_ns);
}

/* Picoseconds that the turn just run takes. A warp issues as fast as its own dependencies
   and the others on the SM let it, and between that it waits for what it loads; the L2 and
   the memory are shared by the whole device. */
static uint64_t turn_cost(struct emulated *d, struct resident *r)
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
                    (c->stalls + u->fences) * ps_of_ns(load_ns(t, u));

    cost = longer(
        cost, shared_delay(&d->memory_free_ps, d->now_ps,
                           ps_of_bytes(32.0 * (double)u->missed_sectors, t->memory_gbps),
                           d->resident_ctas));
    cost = longer(cost, shared_delay(&d->l2_free_ps, d->now_ps,
                                     ps_of_bytes(32.0 * (double)u->sectors, t->l2_gbps),
                                     d->resident_ctas));
    if (u->sent_bytes && !d->set->options.infinite_bandwidth) {
        const struct topology_fabric *f = &d->set->topology->fabric;
        uint64_t queue = OUT_QUEUE_NS * (uint64_t)PS;

        serve(&r->sent_free_ps, d->now_ps,
              ps_of_bytes((double)u->sent_bytes, f->sm_gbps_per_cta));
        cost = longer(cost, r->sent_free_ps - d->now_ps);
        if (d->out_free_ps > d->now_ps + queue)
            cost = longer(cost, d->out_free_ps - d->now_ps - queue);
    }
    return longer(cost, (uint64_t)cycle);
}

static void cta_turn(struct emulated *d, void *subject, uint64_t detail)
{
    struct resident *r = subject;
    struct execute_cta *c = r->cta;

    (void)detail;
    if (credit_spent(d)) { /* until acknowledgements come: residents_release() */
        r->next_held = d->held;
        d->held = r;
        return;
    }
    r->scheduled = false;
    r->turns++;
    c->issued = c->lanes = c->longest = c->stalls = c->barriers = 0;
    d->usage = (struct usage){0};
    d->current = r;
    enum execute_stop stop =
        execute_cta_run(c, TURN_BUDGET, d->set->options.seed ? random_next(&d->chance) : 0);
    uint64_t end = d->now_ps + turn_cost(d, r);

    d->current = NULL;
    d->changes += d->usage.stores != 0;
    switch (stop) {
    case EXECUTE_EXITED:
        later(d, end, cta_end, r, 0);
        break;
    case EXECUTE_BUDGET:
        d->changes++;
        schedule(d, r, end);
        break;
    case EXECUTE_STRONG:
        schedule(d, r, end);
        break;
    case EXECUTE_BLOCKED:
        if (c->sleep_ns)
            schedule(d, r, end + c->sleep_ns * (uint64_t)PS);
        break;
    case EXECUTE_TRAPPED:
        device_fault(d, PROACT_EFAULT, "device %u: %s", d->number, c->fault);
        break;
    }
}

void resident_wake(struct emulated *d, struct resident *r)
{
    if (!r->scheduled)
        schedule(d, r, d->now_ps);
}

static void residents_release(struct emulated *d)
{
    while (d->held) {
        struct resident *r = d->held;

        d->held = r->next_held;
        schedule(d, r, d->now_ps);
    }
}

static void kernel_begin(struct emulated *d, void *subject, uint64_t detail)
{
    struct operation *operation = subject;
    const struct device_launch *l = operation_launch(operation);
    const struct device_function *f = operation_function(operation);
    struct kernel_run *run = must_calloc(1, sizeof *run), **end = &d->running;

    (void)detail;
    run->operation = operation;
    run->name = l->label ? l->label : f->info.name;
    run->launch = (struct execute_launch){
        .kernel = f->kernel,
        .host = &d->host,
        .dynamic_shared_bytes = l->shared_bytes,
        .parameters = l->parameters,
        .variables = module_variables(f->module),
        .device = d->number,
        .sm_count = d->set->topology->device.sm_count,
        .grid_id = operation_grid_id(operation),
        .check = d->set->check != NULL,
    };
    for (int i = 0; i < 3; i++) {
        run->launch.grid[i] = l->grid[i];
        run->launch.block[i] = l->block[i];
    }
    run->threads = (l->block[0] * l->block[1] * l->block[2] + 31) / 32 * 32;
    run->shared_bytes = f->info.shared_bytes + l->shared_bytes;
    run->total = l->grid[0] * l->grid[1] * l->grid[2];
    run->start_ps = d->now_ps;
    run->known = must_calloc(f->info.access_count, sizeof *run->known);
    run->unit = l->unit;
    unit_arm(run);
    run->grid = execute_grid_create(&run->launch);
    run->actor = operation_actor(operation);
    while (*end)
        end = &(*end)->next;
    *end = run;
    dispatch(d);
}

void launch_begin(struct emulated *d, struct operation *o)
{
    d->credit_returned = residents_release;
    later(d, d->now_ps + ps_of_ns(d->set->topology->device.launch_us * 1000), kernel_begin,
          o, 0);
}

void runs_clear(struct emulated *d)
{
    while (d->residents)
        resident_free(d, d->residents);
    while (d->running) {
        struct kernel_run *next = d->running->next;

        execute_grid_destroy(d->running->grid);
        free(d->running->known);
        free(d->running->unit_left);
        free(d->running);
        d->running = next;
    }
}
