/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/autotune/preparation.h"

#include "base/clock.h"
#include "runtime/autotune/choice.h"
#include "runtime/objects/kernel.h"
#include "runtime/objects/session.h"
#include "runtime/request/launching.h"

/* Expected time of a kernel before the first one is prepared. */
static const uint64_t usual_ns = 3000000;

/* The kernel of the program, from which a variant was made. */
static struct proact_kernel *preparation_kernel(const struct launching *l)
{
    struct proact_kernel *k = l->kernel;

    while (k->variant_of)
        k = k->variant_of;
    return k;
}

void preparation_count(struct proact_kernel *k)
{
    if (k->preparation == KERNEL_NEW && k->session->lazy_devices.are_pending) {
        k->preparation = KERNEL_LAUNCHED;
    } else if (k->preparation < KERNEL_COUNTED) {
        k->preparation = KERNEL_COUNTED;
        k->session->preparations.waiting++;
    }
}

void preparation_forget(struct proact_kernel *k)
{
    k->session->preparations.waiting -= k->preparation == KERNEL_COUNTED;
    k->preparation = KERNEL_PREPARED;
}

bool preparation_is_done(const struct launching *l)
{
    return preparation_kernel(l)->preparation == KERNEL_PREPARED;
}

uint64_t preparation_expected_ns(const struct proact *p, unsigned *kernels)
{
    const unsigned done = p->preparations.done;
    const uint64_t first_ns = p->backend->is_virtual ? 0 : usual_ns;

    *kernels = p->preparations.waiting;
    return *kernels * (done ? p->preparations.ns / done : first_ns);
}

bool preparation_is_affordable(const struct proact *p)
{
    unsigned kernels;
    struct plan_budget after = p->budget;

    after.spent_ns += preparation_expected_ns(p, &kernels);
    return plan_budget_permits(&after);
}

struct preparation preparation_begin(const struct choice *c, const struct launching *l)
{
    const struct proact *p = l->kernel->session;
    const bool counts =
        c && c->step == CHOICE_READY && (c->launches == 1 || !preparation_is_done(l));

    return (struct preparation){.from_ns = counts ? clock_host_ns() : 0,
                                .spent_ns = p->budget.spent_ns,
                                .waited_ns = p->preparations.waited_ns,
                                .counts = counts};
}

/* Host time of the preparation that the devices waited for: none if a queue is not empty
   yet. Waits for queued work do not count. */
static uint64_t preparation_took_ns(const struct preparation *b, const struct proact *p)
{
    const struct device_backend *d = p->backend;

    if (d->is_virtual ||
        (d->progress && d->progress(p->set, NULL, NULL) == PROACT_PROGRESS_RUNNING))
        return 0;
    return clock_host_ns() - b->from_ns - (p->preparations.waited_ns - b->waited_ns);
}

/* The analysis has charged a part of the time already. */
void preparation_end(const struct preparation *b, const struct launching *l)
{
    if (!b->counts)
        return;
    struct proact *p = l->kernel->session;
    struct proact_kernel *k = preparation_kernel(l);
    const uint64_t took = preparation_took_ns(b, p),
                   charged = p->budget.spent_ns - b->spent_ns;

    if (took > charged && p->budget.spent_ns >= b->spent_ns)
        plan_budget_spend(&p->budget, took - charged);
    if (k->preparation != KERNEL_COUNTED)
        return;
    k->preparation_ns += took;
    if (l->is_compiling)
        return;
    p->preparations.ns += k->preparation_ns;
    k->preparation = KERNEL_PREPARED;
    p->preparations.waiting--;
    p->preparations.done++;
}
