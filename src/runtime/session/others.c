/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/session/others.h"

#include <sched.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/fail.h"
#include "runtime/arrays/replicas.h"

enum {
    PACE = 8,    /* launches between two marks; two of these ahead is what the host gets */
    OVERDUE = 3, /* times what they cost, since the first launch */
};

static uint64_t clock_ns(const struct proact *p)
{
    return p->backend->is_virtual ? p->backend->now_ns(p->set) : clock_host_ns();
}

/* Each likely takes as long as the first one did, and half of that to close. */
void others_begin(struct proact *p)
{
    const uint64_t one_ns = p->backend->open_ns ? p->backend->open_ns(p->set) : 0;
    struct session_others *o = &p->others;

    o->are_closed = o->were_closed = one_ns != 0;
    o->cost_ns = (one_ns + one_ns / 2) * (p->backend->count(p->set) - 1);
    o->since_ns = clock_ns(p);
}

/* They are given up; the first one goes on, unless nothing does. */
static enum proact_status give_up(struct proact *p, enum proact_status status,
                                  const struct proact_error *why, struct proact_error *err)
{
    snprintf(p->others.why, sizeof p->others.why, "%s", why->text);
    if (status == PROACT_ENODEV || status == PROACT_ENOSPACE)
        return PROACT_OK;
    return fail(err, status, "%s", why->text);
}

/* What a session makes of all its devices at the beginning. */
static enum proact_status make_ready(struct proact *p, struct proact_error *err)
{
    enum proact_status status = transfer_open_rest(&p->devices, err);

    if (!status)
        status = order_open(&p->order, &p->devices, 1, p->devices.count, err);
    for (struct proact_array *a = p->arrays; a && !status; a = a->next)
        status = array_replicas_make(a, ARRAY_OWN, err);
    return status;
}

static enum proact_status come(struct proact *p, bool waits, struct proact_error *err)
{
    struct session_others *o = &p->others;
    struct proact_error why = {""};
    bool are_open = false;
    enum proact_status status = p->backend->open_others(p->set, waits, &are_open, &why);

    o->is_opening = true;
    if (!status && !are_open)
        return PROACT_OK;
    o->took_ns = clock_ns(p) - o->since_ns;
    o->are_closed = false;
    if (!status)
        status = make_ready(p, &why);
    o->are_closed = status != PROACT_OK;
    return status ? give_up(p, status, &why, err) : PROACT_OK;
}

static bool may_come(const struct proact *p)
{
    return p->others.are_closed && !p->others.why[0];
}

enum proact_status others_look(struct proact *p, struct proact_error *err)
{
    return may_come(p) && p->others.is_opening && !p->recording && !p->repeating
               ? come(p, false, err)
               : PROACT_OK;
}

static bool are_overdue(const struct proact *p)
{
    return clock_ns(p) - p->others.first_ns >= OVERDUE * p->others.cost_ns;
}

/* Whether the device is so far behind, and they may come yet. What the program itself lets
   go on later stands until they are overdue, once. */
static bool must_keep_pace(const struct proact *p, const struct device_event *mark)
{
    return p->others.are_closed && !are_overdue(p) &&
           p->backend->progress(p->set, NULL, mark) == PROACT_PROGRESS_RUNNING;
}

/* A host that queues all its launches at once would have nothing left for them. */
static enum proact_status keep_pace(struct proact *p, struct proact_error *err)
{
    struct session_others *o = &p->others;
    const uint64_t n = o->first_ns && !p->recording && !p->repeating ? o->launches++ : 1;
    struct device_event **mark = &o->mark[n / PACE % 2], *other = o->mark[1 - n / PACE % 2];
    enum proact_status status = PROACT_OK;

    if (n % PACE || p->backend->is_virtual || !p->backend->progress || are_overdue(p))
        return PROACT_OK;
    while (other && !status && must_keep_pace(p, other)) {
        sched_yield();
        status = others_look(p, err);
    }
    if (!status && !*mark)
        status = p->backend->event_create(p->set, 0, false, mark, err);
    return status
               ? status
               : p->backend->record(p->devices.device[0].lane[TRANSFER_MAIN], *mark, err);
}

void others_close(struct proact *p)
{
    for (int n = 0; n < 2; n++)
        if (p->others.mark[n])
            p->backend->event_destroy(p->others.mark[n]);
}

/* Who rents until that has cost as much as to buy pays at most twice what he had to: they
   are opened when the program has launched for as long as they cost. */
enum proact_status others_launch(struct proact *p, unsigned over, bool *is_whole,
                                 struct proact_error *err)
{
    struct session_others *o = &p->others;
    enum proact_status status = may_come(p) && over != 1 ? keep_pace(p, err) : PROACT_OK;

    status = status ? status : others_look(p, err);
    *is_whole = o->are_closed;
    if (status || !may_come(p) || o->is_opening || over == 1)
        return status;
    if (!o->first_ns)
        o->first_ns = clock_ns(p);
    *is_whole = clock_ns(p) - o->first_ns < o->cost_ns;
    return PROACT_OK;
}

/* Even if they are open at once the session does not have them before the next launch: this
   one was looked at without them. */
bool others_wanted(struct proact *p)
{
    struct proact_error why = {""}, err;
    bool are_open;

    if (!may_come(p) || p->others.is_opening)
        return p->others.are_closed;
    p->others.is_opening = true;
    enum proact_status status = p->backend->open_others(p->set, false, &are_open, &why);

    if (status)
        session_keep(p, give_up(p, status, &why, &err), &err);
    return true;
}

enum proact_status others_need(struct proact *p, struct proact_error *err)
{
    enum proact_status status = may_come(p) ? come(p, true, err) : PROACT_OK;

    if (status || !p->others.are_closed)
        return status;
    return fail(err, PROACT_ENODEV, "%s", p->others.why);
}

const char *others_refusal(const struct proact *p)
{
    if (!p->others.are_closed)
        return NULL;
    return p->others.why[0] ? "the other devices could not be opened"
                            : "it was launched before the other devices were opened";
}

unsigned proact_open_device_count(const struct proact *p)
{
    return devices_here(p);
}

const char *proact_lazy_devices_report(struct proact *p, bool *failed)
{
    struct session_others *o = &p->others;

    *failed = o->why[0];
    if (!o->were_closed)
        return NULL;
    if (*failed)
        snprintf(o->said, sizeof o->said,
                 "the other devices could not be opened, so all ran on the first: %s",
                 o->why);
    else if (o->are_closed)
        snprintf(o->said, sizeof o->said, "the other devices were not opened%s",
                 o->is_opening ? " in time" : "");
    else
        snprintf(o->said, sizeof o->said, "the other devices were there after %.3f ms",
                 (double)o->took_ns / 1e6);
    return o->said;
}
