/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/kernel/problem_timer.h"

#include "runtime/objects/kernel.h"
#include "runtime/objects/session.h"
#include "runtime/request/launching.h"
#include "runtime/session/stopwatch.h"

enum { TIMER_HOLD_NS = 100000 }; /* limit of the hold; a launch takes less */

static struct device_stream *timer_stream(const struct proact *p, unsigned device)
{
    return p->devices.device[device].lane[TRANSFER_MAIN];
}

enum proact_status problem_timer_hold(const struct launching *l, struct proact_error *err)
{
    const struct proact *p = l->kernel->session;

    if (!l->timer || l->timer->was_delayed || !p->backend->hold || p->recording ||
        stopwatch_is_running(p))
        return PROACT_OK;
    l->timer->is_delayed = l->timer->was_delayed = true;
    return p->backend->hold(timer_stream(p, l->timer->device), TIMER_HOLD_NS, err);
}

void problem_timer_let_go(const struct launching *l)
{
    const struct proact *p = l->kernel->session;

    if (!l->timer || !l->timer->is_delayed)
        return;
    l->timer->is_delayed = false;
    p->backend->let_go(p->set);
}

enum proact_status problem_timer_begin(const struct launching *l, unsigned device,
                                       struct proact_error *err)
{
    const struct proact *p = l->kernel->session;
    struct problem_timer *t = l->timer;
    enum proact_status status = PROACT_OK;

    if (!t || t->device != device)
        return PROACT_OK;
    if (!t->from)
        status = p->backend->event_create(p->set, device, true, &t->from, err);
    if (!status && !t->to)
        status = p->backend->event_create(p->set, device, true, &t->to, err);
    return status ? status : p->backend->record(timer_stream(p, device), t->from, err);
}

enum proact_status problem_timer_end(const struct launching *l, unsigned device,
                                     struct proact_error *err)
{
    const struct proact *p = l->kernel->session;
    struct problem_timer *t = l->timer;

    if (!t || t->device != device)
        return PROACT_OK;
    t->is_recorded = true;
    return p->backend->record(timer_stream(p, device), t->to, err);
}

double problem_timer_ns(const struct proact *p, const struct problem_timer *t)
{
    double ns = 0;

    if (!t->is_recorded || !p->backend->progress ||
        p->backend->progress(p->set, timer_stream(p, t->device), t->to) !=
            PROACT_PROGRESS_DONE ||
        p->backend->elapsed(t->from, t->to, &ns, NULL))
        return 0;
    return ns;
}

void problem_timer_clear(const struct proact *p, struct problem_timer *t)
{
    if (t->from)
        p->backend->event_destroy(t->from);
    if (t->to)
        p->backend->event_destroy(t->to);
    *t = (struct problem_timer){0};
}
