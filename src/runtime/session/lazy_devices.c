/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/session/lazy_devices.h"

#include <stdio.h>

#include "base/clock.h"
#include "base/fail.h"
#include "runtime/objects/array.h"
#include "runtime/objects/session.h"
#include "runtime/session/pace.h"
#include "runtime/session/replicas.h"
#include "runtime/session/runtime_wait.h"

/* Limit of waiting, in multiples of the opening cost since the first launch. */
enum { OVERDUE = 3 };

static uint64_t clock_ns(const struct proact *p)
{
    return p->backend->is_virtual ? p->backend->now_ns(p->set) : clock_host_ns();
}

/* Estimates each device with the time of the first one, and half of it to close. */
void lazy_devices_begin(struct proact *p)
{
    const uint64_t one_ns = p->backend->open_ns ? p->backend->open_ns(p->set) : 0;
    struct session_lazy_devices *o = &p->lazy_devices;

    o->are_pending = o->was_lazy = one_ns != 0;
    o->cost_ns = (one_ns + one_ns / 2) * (p->backend->count(p->set) - 1);
    o->since_ns = clock_ns(p);
}

/* Gives up on the devices. The session continues on device 0, except after an internal
   error. */
static enum proact_status lazy_devices_give_up(struct proact *p, enum proact_status status,
                                               const struct proact_error *why,
                                               struct proact_error *err)
{
    snprintf(p->lazy_devices.why, sizeof p->lazy_devices.why, "%s", why->text);
    if (status == PROACT_ENODEV || status == PROACT_ENOSPACE)
        return PROACT_OK;
    return fail(err, status, "%s", why->text);
}

/* Creates what a session otherwise creates for all devices at its start. */
static enum proact_status lazy_devices_init(struct proact *p, struct proact_error *err)
{
    enum proact_status status = transfer_open_rest(&p->devices, err);

    if (!status)
        status = order_open(&p->order, &p->devices, 1, p->devices.count, err);
    for (struct proact_array *a = p->arrays; a && !status; a = a->next)
        status = array_replicas_make(a, ARRAY_OWN, err);
    return status;
}

static enum proact_status lazy_devices_open(struct proact *p, bool waits,
                                            struct proact_error *err)
{
    struct session_lazy_devices *o = &p->lazy_devices;
    struct proact_error why = {""};
    bool are_open = false;
    enum proact_status status = p->backend->open_remaining(p->set, waits, &are_open, &why);

    o->is_opening = true;
    if (!status && !are_open)
        return PROACT_OK;
    o->took_ns = clock_ns(p) - o->since_ns;
    o->are_pending = false;
    if (!status)
        status = lazy_devices_init(p, &why);
    o->are_pending = status != PROACT_OK;
    return status ? lazy_devices_give_up(p, status, &why, err) : PROACT_OK;
}

static bool lazy_devices_may_open(const struct proact *p)
{
    return p->lazy_devices.are_pending && !p->lazy_devices.why[0];
}

enum proact_status lazy_devices_poll(struct proact *p, struct proact_error *err)
{
    return lazy_devices_may_open(p) && p->lazy_devices.is_opening && !p->recording &&
                   !p->repeating
               ? lazy_devices_open(p, false, err)
               : PROACT_OK;
}

static bool are_overdue(const struct proact *p)
{
    return clock_ns(p) - p->lazy_devices.first_ns >= OVERDUE * p->lazy_devices.cost_ns;
}

/* Whether the devices are not open yet and the time limit has not passed. */
static bool lazy_devices_are_awaited(struct proact *p, enum proact_status *status,
                                     struct proact_error *err)
{
    *status = lazy_devices_poll(p, err);
    return !*status && p->lazy_devices.are_pending && !are_overdue(p);
}

static enum proact_status keep_pace(struct proact *p, struct proact_error *err)
{
    if (!p->lazy_devices.first_ns || p->recording || p->repeating || are_overdue(p))
        return PROACT_OK;
    return pace_keep(p, lazy_devices_are_awaited, err);
}

/* Ski rental: the devices are opened once the launches have taken as long as opening costs.
   The total is at most twice the optimum. */
enum proact_status lazy_devices_launch(struct proact *p, unsigned over, bool *is_whole,
                                       struct proact_error *err)
{
    struct session_lazy_devices *o = &p->lazy_devices;
    enum proact_status status =
        lazy_devices_may_open(p) && over != 1 ? keep_pace(p, err) : PROACT_OK;

    status = status ? status : lazy_devices_poll(p, err);
    *is_whole = o->are_pending;
    if (status || !lazy_devices_may_open(p) || o->is_opening || over == 1)
        return status;
    if (!o->first_ns)
        o->first_ns = clock_ns(p);
    *is_whole = clock_ns(p) - o->first_ns < o->cost_ns;
    return PROACT_OK;
}

/* The session gets the devices at the next launch, because this one was analyzed without
   them. */
bool lazy_devices_request(struct proact *p)
{
    struct proact_error why = {""}, err;
    bool are_open;

    if (!lazy_devices_may_open(p) || p->lazy_devices.is_opening)
        return p->lazy_devices.are_pending;
    p->lazy_devices.is_opening = true;
    enum proact_status status = p->backend->open_remaining(p->set, false, &are_open, &why);

    if (status)
        session_keep(p, lazy_devices_give_up(p, status, &why, &err), &err);
    return true;
}

enum proact_status lazy_devices_require(struct proact *p, struct proact_error *err)
{
    enum proact_status status =
        lazy_devices_may_open(p) ? lazy_devices_open(p, true, err) : PROACT_OK;

    if (status || !p->lazy_devices.are_pending)
        return status;
    return fail(err, PROACT_ENODEV, "%s", p->lazy_devices.why);
}

const char *lazy_devices_refusal(const struct proact *p)
{
    if (!p->lazy_devices.are_pending)
        return NULL;
    return p->lazy_devices.why[0] ? "the other devices could not be opened"
                                  : "it was launched before the other devices were opened";
}

unsigned proact_open_device_count(const struct proact *p)
{
    return devices_here(p);
}

const char *proact_lazy_devices_report(struct proact *p, bool *failed)
{
    struct session_lazy_devices *o = &p->lazy_devices;

    *failed = o->why[0];
    if (!o->was_lazy)
        return NULL;
    if (*failed)
        snprintf(o->report_text, sizeof o->report_text,
                 "the other devices could not be opened, so everything ran on device 0: %s",
                 o->why);
    else if (o->are_pending)
        snprintf(o->report_text, sizeof o->report_text,
                 "the other devices were not opened%s", o->is_opening ? " in time" : "");
    else
        snprintf(o->report_text, sizeof o->report_text,
                 "the other devices were open after %.3f ms", (double)o->took_ns / 1e6);
    return o->report_text;
}
