/* SPDX-License-Identifier: Apache-2.0 */
/* Child kernels. A device has slots for them. Their CTAs follow all CTAs that wait already,
   or precede those of the parent (child_priority). A parent ends after its children. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "device/emulator/check/checked.h"
#include "device/emulator/kernel/children.h"
#include "device/emulator/kernel/cluster_launch.h"
#include "device/emulator/traffic/global_access.h"

enum { INVALID_VALUE = 1 /* cudaErrorInvalidValue */ };

static bool fits(const struct emulated *d, const struct execute_child *child)
{
    const struct topology_device *t = &d->set->topology->device;
    const struct execute_kernel_info info = execute_kernel_info(child->kernel);
    const uint32_t *grid = child->grid, *block = child->block;
    uint64_t threads = (uint64_t)block[0] * block[1] * block[2];
    uint64_t ctas = (uint64_t)grid[0] * grid[1] * grid[2];

    return threads && threads <= t->threads_per_cta && threads <= info.max_threads &&
           ctas && ctas <= INT32_MAX && info.parameter_bytes <= CHILD_PARAMETER_BYTES &&
           (uint64_t)info.shared_bytes + child->shared_bytes <= t->shared_bytes_per_cta &&
           !cluster_check(d->set, &info,
                          &(struct device_launch){.grid = {grid[0], grid[1], grid[2]},
                                                  .block = {block[0], block[1], block[2]},
                                                  .shared_bytes = child->shared_bytes},
                          NULL);
}

uint64_t child_parameters(void *context, struct execute_warp *w,
                          const struct execute_child *child)
{
    struct emulated *d = context;
    struct children *c = d->children;

    (void)w;
    if (!c || !c->free_count || !fits(d, child))
        return 0;
    uint32_t place = c->free[--c->free_count];
    uint64_t address = c->base + (uint64_t)place * CHILD_PARAMETER_BYTES;

    c->place[place] = (struct child_place){.is_filling = true, .child = *child};
    checked_child_parameters(d, address, CHILD_PARAMETER_BYTES);
    return address;
}

/* Starts a child kernel, or lets it wait while child_concurrency others have CTAs. */
static void child_begin(struct emulated *d, void *subject, uint64_t detail)
{
    const uint32_t limit = d->set->topology->device.child_concurrency;
    struct children *c = d->children;
    struct kernel_run *run = subject;

    (void)detail;
    if (limit && c->running == limit) {
        struct kernel_run **end = c->waiting ? c->waiting_end : &c->waiting;

        *end = run;
        c->waiting_end = &run->next_waiting;
        return;
    }
    c->running++;
    run_begin(d, run);
}

/* A child kernel that only waits for its own children holds no place: otherwise nested
   children would wait forever. */
static void child_drained(struct emulated *d, struct kernel_run *run)
{
    struct children *c = d->children;
    struct kernel_run *next = c->waiting;

    (void)run;
    c->running--;
    if (!next)
        return;
    c->waiting = next->next_waiting;
    child_begin(d, next, 0);
}

static void child_done(struct emulated *d, struct kernel_run *run)
{
    struct children *c = d->children;

    c->free[c->free_count++] = run->place;
    checked_child_end(d, run);
    run->parent->children--;
    run_settle(d, run->parent);
}

/* Launch of a child: that of its parent, with the child's kernel, grid and parameters. */
static struct kernel_run *make_run(struct emulated *d, const struct execute_child *child,
                                   uint64_t address)
{
    struct kernel_run *parent = d->current->run;
    struct execute_launch launch = parent->launch;
    void *parameters = must_calloc(CHILD_PARAMETER_BYTES, 1);

    const struct execute_kernel_info info = execute_kernel_info(child->kernel);

    memcpy(parameters, (const void *)(uintptr_t)address, info.parameter_bytes);
    launch.kernel = child->kernel;
    launch.dynamic_shared_bytes = child->shared_bytes;
    launch.parameters = parameters;
    for (int i = 0; i < 3; i++) {
        launch.grid[i] = child->grid[i];
        launch.whole[i] = 0;
        launch.block[i] = child->block[i];
        launch.cluster[i] = info.cluster[i];
    }
    struct kernel_run *run =
        run_create(d, &launch, d->set->topology->device.child_priority ? parent : NULL);

    run->parameters = parameters;
    run->parent = parent;
    run->done = child_done;
    run->drained = child_drained;
    parent->children++;
    return run;
}

/* Start of a child kernel that is launched at `now_ps`. A device starts one at a time. */
static uint64_t child_start_ps(struct emulated *d, uint64_t now_ps)
{
    const struct topology_device *t = &d->set->topology->device;
    const double latency_us =
        t->child_launch_latency_us > 0 ? t->child_launch_latency_us : t->launch_us;
    uint64_t *next_ps = &d->children->next_begin_ps;
    uint64_t start_ps = now_ps + ps_of_ns(latency_us * 1000);

    if (t->child_launch_interval_us <= 0)
        return start_ps;
    if (start_ps < *next_ps)
        start_ps = *next_ps;
    *next_ps = start_ps + ps_of_ns(t->child_launch_interval_us * 1000);
    return start_ps;
}

/* Launches a child. */
uint32_t child_launch(void *context, struct execute_warp *w, uint64_t parameters)
{
    struct emulated *d = context;
    struct children *c = d->children;
    uint64_t place = c ? (parameters - c->base) / CHILD_PARAMETER_BYTES : 0;

    if (!c || place >= c->count || !c->place[place].is_filling)
        return INVALID_VALUE;
    struct kernel_run *run = make_run(d, &c->place[place].child, parameters);

    c->place[place].is_filling = false;
    run->place = (uint32_t)place;
    checked_child_launch(d, run, w, parameters, CHILD_PARAMETER_BYTES);
    d->usage.children++;
    later(d, child_start_ps(d, instant(d, w)), child_begin, run, 0);
    return 0;
}
