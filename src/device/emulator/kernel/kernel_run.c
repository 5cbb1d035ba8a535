/* SPDX-License-Identifier: Apache-2.0 */
#include "device/emulator/kernel/kernel_run.h"

#include <stdlib.h>

#include "base/memory.h"
#include "device/emulator/check/checked.h"
#include "device/emulator/kernel/cluster_launch.h"
#include "device/emulator/kernel/sm_places.h"
#include "device/emulator/kernel/spin.h"
#include "device/emulator/quanta/quanta_run.h"
#include "device/emulator/span_log.h"
#include "device/emulator/stream/stream.h"
#include "device/emulator/traffic/bulk_store.h"
#include "device/emulator/traffic/message.h"

/* Warp instructions of a CTA in one turn; limits how far a CTA runs ahead of its clock. */
/* With a seed, a turn is up to a quarter shorter. Otherwise all CTAs of a kernel would end
   their turns at the same instruction. If that lies between two stores, all would wait
   twice where hardware waits once. */
enum { TURN_BUDGET = 4096, TURN_JITTER = TURN_BUDGET / 4, JITTER_NS = 300 };

static void cta_turn(struct emulated *d, void *subject, uint64_t detail);

static void schedule(struct emulated *d, struct resident *r, uint64_t time_ps)
{
    r->is_scheduled = true;
    r->turn_at_ps = time_ps > d->now_ps ? time_ps : d->now_ps;
    agenda_push(&d->agenda, (struct happening){
                                .time_ps = r->turn_at_ps,
                                .tie = d->set->options.seed ? random_next(&d->chance) : 0,
                                .happen = cta_turn,
                                .subject = r,
                                .detail = ++r->generation});
}

static void run_destroy(struct kernel_run *run)
{
    execute_grid_destroy(run->grid);
    free(run->known);
    free(run->unit_left);
    free(run->parameters);
    free(run->quanta);
    free(run);
}

static void kernel_done(struct emulated *d, void *subject, uint64_t detail)
{
    struct kernel_run *run = subject, **link = &d->running;

    (void)detail;
    while (*link != run)
        link = &(*link)->next;
    *link = run->next;
    checked_kernel_end(d, run);
    run->done(d, run);
    run_destroy(run);
}

void run_settle(struct emulated *d, struct kernel_run *run)
{
    if (!run->live && run->next_cta == run->total && !run->children)
        when_acknowledged(d, kernel_done, run, 0);
}

static struct resident *resident_create(struct emulated *d)
{
    struct resident *r = d->spare;
    uint64_t generation;

    if (!r)
        return must_calloc(1, sizeof *r);
    d->spare = r->next;
    generation = r->generation;
    *r = (struct resident){.generation = generation};
    return r;
}

/* Starts a CTA in an allocated slot of an SM. */
static void cta_begin(struct emulated *d, struct kernel_run *run, uint32_t sm)
{
    struct resident *r = resident_create(d);
    const uint32_t *grid = run->launch.grid;
    uint64_t wait_ps = 0;

    cluster_place(run, run->next_cta++, r->id);
    r->number = r->id[0] + grid[0] * (r->id[1] + grid[1] * r->id[2]);
    execute_cta_name(&run->launch, r->number, r->named);
    r->run = run;
    r->sm = sm;
    r->active_ps = d->now_ps;
    r->next = d->residents;
    if (r->next)
        r->next->previous = r;
    d->residents = r;
    d->resident_ctas++;
    run->live++;
    checked_cta_begin(d, r);
    if (run->quanta)
        quanta_cta_begin(d, r);
    if (d->set->options.seed)
        wait_ps = random_below(&d->chance, JITTER_NS) * PS;
    schedule(d, r, d->now_ps + wait_ps);
}

/* Allocates slots for the launches from `run` on, in order. A launch waits until all CTAs
   of the previous one have slots, so a later launch never delays an earlier one. */
static void place_from(struct emulated *d, struct kernel_run *run)
{
    uint32_t sm[EXECUTE_CLUSTER_MAX];

    for (; run; run = run->next) {
        while (sm_take_next(d, run, sm))
            for (uint32_t i = 0; i < run->cluster_size; i++)
                cta_begin(d, run, sm[i]);
        if (run_waits(run))
            return;
    }
}

/* Allocates the freed resources of an SM to the first launch that waits. */
static void fill_sm(struct emulated *d, uint32_t sm)
{
    struct kernel_run *run = d->running;

    while (run && !run_waits(run))
        run = run->next;
    if (!run)
        return;
    if (run->cluster_size > 1) { /* other CTAs of the cluster may use other SMs */
        place_from(d, run);
        return;
    }
    while (sm_fits(d, run, sm)) {
        sm_take(d, run, sm);
        cta_begin(d, run, sm);
    }
    if (!run_waits(run))
        place_from(d, run->next);
}

static void resident_leave(struct emulated *d, struct resident *r)
{
    spin_end(d, r);
    sm_give(d, r->run, r->sm);
    d->resident_ctas--;
    if (r->next)
        r->next->previous = r->previous;
    if (r->previous)
        r->previous->next = r->next;
    else
        d->residents = r->next;
    execute_cta_destroy(r->cta);
    bulk_leave(d, r);
    free(r->warp_actors);
    r->warp_actors = NULL;
    r->cta = NULL;
    r->generation++; /* invalidates turn events of the ended CTA */
    r->next = d->spare;
    d->spare = r;
}

static void cta_end(struct emulated *d, void *subject, uint64_t detail)
{
    struct resident *r = subject;
    struct kernel_run *run = r->run;
    uint32_t sm = r->sm;

    (void)detail;
    d->changes++;
    checked_cta_end(d, r);
    bulk_end(d, r);
    if (run->unit)
        unit_count(d, run, r->number);
    resident_leave(d, r);
    run->live--;
    run->worked_ps = 0;
    if (run->drained && !run->live && run->next_cta == run->total)
        run->drained(d, run);
    fill_sm(d, sm);
    run_settle(d, run);
}

/* Schedules the next turn after one that ended at `end_ps`; a CTA that polls without
   success is delayed. */
static void turn_end(struct emulated *d, struct resident *r, enum execute_stop stop,
                     uint64_t end_ps, uint64_t pause_ps)
{
    struct execute_cta *c = r->cta;

    switch (stop) {
    case EXECUTE_EXITED:
        end_ps = bulk_exit(d, r, end_ps);
        execute_cta_destroy(c);
        r->cta = NULL;
        later(d, end_ps, cta_end, r, 0);
        break;
    case EXECUTE_BUDGET:
    case EXECUTE_STRONG:
        schedule(d, r, end_ps + pause_ps);
        break;
    case EXECUTE_BLOCKED:
        if (c->sleep_ns)
            schedule(d, r, end_ps + pause_ps + c->sleep_ns * (uint64_t)PS);
        break;
    case EXECUTE_TRAPPED:
        device_fault(d, PROACT_EFAULT, "device %u: %s", d->number, c->fault);
        break;
    }
}

static enum execute_stop turn_execute(struct emulated *d, struct resident *r)
{
    uint64_t budget = TURN_BUDGET, order = 0;

    if (!r->cta) {
        r->cta = execute_cta_create(r->run->grid, d->pool, r->id, r->sm);
        r->cta->user = r;
    }
    struct execute_cta *c = r->cta;

    c->issued = c->lanes = c->longest = c->stalls = c->barriers = 0;
    if (d->set->options.seed) {
        order = random_next(&d->chance);
        budget -= random_below(&d->chance, TURN_JITTER);
    }
    const enum execute_stop stop = execute_cta_run(c, budget, order);

    d->usage.issued += c->issued;
    d->usage.longest += c->longest;
    d->usage.stalls += c->stalls;
    d->usage.barriers += c->barriers;
    if (r->recorded)
        quanta_record_turn(d, r, stop);
    return stop;
}

/* The end of a kernel begins in the turn of the last quantum, as without a recording. */
static enum execute_stop turn_replay(struct emulated *d, struct resident *r)
{
    quanta_replay_turn(d, r);
    if (quanta_replay_is_left(r))
        return EXECUTE_BUDGET;
    return r->run->quanta->launch->has_end ? turn_execute(d, r) : EXECUTE_EXITED;
}

static void cta_turn(struct emulated *d, void *subject, uint64_t generation)
{
    struct resident *r = subject;

    if (generation != r->generation)
        return; /* a stale event: the CTA was woken, or the slot is reused */
    r->is_scheduled = false;
    spin_end(d, r);
    if (r->sends && credit_spent(d)) { /* until acknowledgements arrive */
        r->is_stalled = true;
        r->next_stalled = d->stalled;
        d->stalled = r;
        return;
    }
    d->usage = (struct usage){0};
    d->current = r;
    const enum execute_stop stop =
        quanta_replay_is_left(r) ? turn_replay(d, r) : turn_execute(d, r);

    d->current = NULL;
    r->busy_until_ps = d->now_ps + turn_cost(d, r);
    r->sends = d->usage.sent_bytes != 0;
    if (spin_is_waiting(d, r, stop))
        spin_begin(d, r);
    turn_end(d, r, stop, r->busy_until_ps, turn_watch(d, r, stop, r->busy_until_ps));
}

/* An answer wakes the complete CTA, including warps that sleep: a sleep may be shorter than
   requested. */
void resident_wake_at(struct emulated *d, struct resident *r, uint64_t at_ps)
{
    if (at_ps < r->busy_until_ps)
        at_ps = r->busy_until_ps;
    if (!r->is_stalled && (!r->is_scheduled || r->turn_at_ps > at_ps))
        schedule(d, r, at_ps);
}

void resident_wake(struct emulated *d, struct resident *r)
{
    resident_wake_at(d, r, d->now_ps);
}

static void residents_release(struct emulated *d)
{
    struct resident *r = d->stalled, *next;

    d->stalled = NULL;
    for (; r; r = next) {
        next = r->next_stalled;
        r->is_stalled = false;
        schedule(d, r, d->now_ps);
    }
}

static void launch_done(struct emulated *d, struct kernel_run *run)
{
    stream_ran(d, run->operation);
    span_add(d, DEVICE_SPAN_KERNEL, stream_lane(run->operation), run->name, run->start_ps,
             d->now_ps, 0);
    operation_done(d, run->operation);
}

struct kernel_run *run_create(struct emulated *d, const struct execute_launch *launch,
                              const struct kernel_run *next)
{
    const struct execute_kernel_info info = execute_kernel_info(launch->kernel);
    const uint32_t *grid = launch->grid, *block = launch->block;
    struct kernel_run *run = must_calloc(1, sizeof *run), **end = &d->running;

    run->name = info.name;
    run->sends_from = UINT32_MAX;
    run->launch = *launch;
    run->warps = (block[0] * block[1] * block[2] + 31) / 32;
    run->threads = run->warps * 32;
    run->shared_bytes = (uint64_t)info.shared_bytes + launch->dynamic_shared_bytes;
    run->total = grid[0] * grid[1] * grid[2];
    run->cluster_size = 1;
    for (int i = 0; i < 3; i++) {
        run->cluster[i] = launch->cluster[i] ? launch->cluster[i] : 1;
        run->cluster_size *= run->cluster[i];
    }
    run->known = must_calloc(info.access_count, sizeof *run->known);
    run->grid = execute_grid_create(&run->launch);
    while (*end != next)
        end = &(*end)->next;
    run->next = *end;
    *end = run;
    return run;
}

void run_begin(struct emulated *d, struct kernel_run *run)
{
    bool is_behind = false;

    for (const struct kernel_run *r = d->running; r != run; r = r->next)
        is_behind |= run_waits(r);
    run->has_begun = true;
    run->start_ps = d->now_ps;
    if (!is_behind)
        place_from(d, run);
}

static void kernel_begin(struct emulated *d, void *subject, uint64_t detail)
{
    struct operation *operation = subject;
    const struct device_launch *l = operation_launch(operation);
    const struct device_function *f = operation_function(operation);
    struct execute_launch launch = {
        .kernel = f->kernel,
        .host = &d->host,
        .first = l->first,
        .dynamic_shared_bytes = l->shared_bytes,
        .parameters = l->parameters,
        .variables = module_variables(f->module),
        .device = d->number,
        .sm_count = d->set->topology->device.sm_count,
        .grid_id = operation_grid_id(operation),
        .meeting = l->is_cooperative ? d->meeting : 0,
        .stack_bytes = d->set->stack_bytes,
        .check = d->set->check != NULL,
    };

    (void)detail;
    for (int i = 0; i < 3; i++) {
        launch.grid[i] = l->grid[i];
        launch.whole[i] = l->whole[i];
        launch.block[i] = l->block[i];
    }
    cluster_of(&f->info, l->cluster, launch.cluster);
    struct kernel_run *run = run_create(d, &launch, NULL);

    run->operation = operation;
    run->sends_from = f->sends_from;
    run->spin_checks = l->spin_checks;
    run->done = launch_done;
    if (l->label)
        run->name = l->label;
    run->unit = l->unit;
    unit_arm(run);
    run->actor = operation_actor(operation);
    quanta_run_begin(d, run, &l->quanta, operation_quanta(operation), turn_execute);
    run_begin(d, run);
}

static void pages_arrived(struct emulated *d, void *subject, uint64_t start_ps)
{
    const struct operation *o = subject;

    span_add(d, DEVICE_SPAN_WAIT, stream_lane(o), "pages", start_ps, d->now_ps, 0);
    kernel_begin(d, subject, 0);
}

void launch_begin(struct emulated *d, struct operation *o)
{
    const struct topology_device *t = &d->set->topology->device;
    double us = t->launch_us;

    if (stream_runs_on(d, o) && t->launch_next_us > 0)
        us = t->launch_next_us;
    if (stream_runs_on(d, o) && o->is_played && t->launch_graph_us > 0)
        us = t->launch_graph_us;
    d->credit_returned = residents_release;
    const uint64_t start_ps = d->now_ps + ps_of_ns(1000 * us);
    const double pages_ns = operation_launch(o)->pages_ns;

    later(d, start_ps + ps_of_ns(pages_ns), pages_ns > 0 ? pages_arrived : kernel_begin, o,
          start_ps);
}

void runs_clear(struct emulated *d)
{
    while (d->residents)
        resident_leave(d, d->residents);
    while (d->spare) {
        struct resident *next = d->spare->next;

        free(d->spare);
        d->spare = next;
    }
    bulk_clear(d);
    d->stalled = NULL;
    while (d->running) {
        struct kernel_run *next = d->running->next;

        run_destroy(d->running);
        d->running = next;
    }
}
