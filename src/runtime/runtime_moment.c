/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "base/fail.h"
#include "base/memory.h"
#include "runtime/first_device.h"

struct proact_moment {
    struct proact *session;
    struct proact_moment *next;
    struct device_event *event;
    bool is_set;
};

enum proact_status proact_moment_create(struct proact *p, struct proact_moment **out,
                                        struct proact_error *err)
{
    struct device_event *event;
    enum proact_status status = p->backend->event_create(p->set, 0, true, &event, err);

    if (status)
        return status;
    struct proact_moment *m = must_calloc(1, sizeof *m);

    *m = (struct proact_moment){.session = p, .next = p->moments, .event = event};
    p->moments = m;
    *out = m;
    return PROACT_OK;
}

void proact_moment_destroy(struct proact_moment *m)
{
    if (!m)
        return;
    struct proact_moment **link = &m->session->moments;

    while (*link != m)
        link = &(*link)->next;
    *link = m->next;
    if (m->is_set) /* it may still be queued */
        session_settle(m->session);
    m->session->backend->event_destroy(m->event);
    free(m);
}

void moments_destroy(struct proact *p)
{
    for (struct proact_moment *m = p->moments, *next; m; m = next) {
        next = m->next;
        proact_moment_destroy(m);
    }
}

enum proact_status proact_moment_set(struct proact_moment *m, struct proact_error *err)
{
    struct proact *p = m->session;

    if (p->recording)
        return fail(err, PROACT_EINVAL, "a moment cannot be recorded");
    m->is_set = true;
    return p->backend->record(p->devices.device[0].lane[TRANSFER_MAIN], m->event, err);
}

enum proact_status proact_moment_elapsed(struct proact_moment *from,
                                         struct proact_moment *to, double *ns,
                                         struct proact_error *err)
{
    enum proact_status status;

    if (!from->is_set || !to->is_set)
        return fail(err, PROACT_EINVAL, "the %s moment was never set",
                    from->is_set ? "second" : "first");
    if ((status = proact_wait(from->session, err)))
        return status;
    return from->session->backend->elapsed(from->event, to->event, ns, err);
}
