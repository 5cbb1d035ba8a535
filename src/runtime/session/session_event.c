/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/session/session_event.h"

#include <stdlib.h>

#include "base/fail.h"
#include "base/memory.h"
#include "runtime/objects/session.h"
#include "runtime/session/program_streams.h"
#include "runtime/session/runtime_wait.h"

struct proact_event {
    struct proact *session;
    struct proact_event *next;
    struct device_event *event;
    bool is_set, has_time;
};

enum proact_status proact_event_create(struct proact *p, bool has_time,
                                       struct proact_event **out, struct proact_error *err)
{
    enum proact_status status =
        fail_if_null("proact_event_create(p, out)", (const void *[]){p, out}, err);

    if (status)
        return status;
    struct device_event *event;
    status = p->backend->event_create(p->set, 0, has_time, &event, err);

    if (status)
        return status;
    struct proact_event *m = must_calloc(1, sizeof *m);

    *m = (struct proact_event){
        .session = p, .next = p->events, .event = event, .has_time = has_time};
    p->events = m;
    *out = m;
    return PROACT_OK;
}

void proact_event_destroy(struct proact_event *m)
{
    if (!m)
        return;
    struct proact_event **link = &m->session->events;

    while (*link != m)
        link = &(*link)->next;
    *link = m->next;
    if (m->is_set) /* it may still be queued */
        session_settle(m->session);
    m->session->backend->event_destroy(m->event);
    free(m);
}

void events_destroy(struct proact *p)
{
    for (struct proact_event *m = p->events, *next; m; m = next) {
        next = m->next;
        proact_event_destroy(m);
    }
}

enum proact_status proact_event_record(struct proact_event *m, struct proact_error *err)
{
    enum proact_status status =
        fail_if_null("proact_event_record(e)", (const void *[]){m}, err);

    if (status)
        return status;
    struct proact *p = m->session;

    if (p->recording)
        return fail(err, PROACT_EINVAL, "an event cannot be recorded");
    status = streams_enter(p, err);

    m->is_set = true;
    if (!status)
        status =
            p->backend->record(p->devices.device[0].lane[TRANSFER_MAIN], m->event, err);
    streams_leave(p);
    return status;
}

/* Without a current stream the next operation follows all streams anyway. */
enum proact_status proact_stream_wait_event(struct proact_event *m,
                                            struct proact_error *err)
{
    enum proact_status status =
        fail_if_null("proact_stream_wait_event(e)", (const void *[]){m}, err);

    if (status)
        return status;
    struct proact *p = m->session;

    if (p->recording)
        return fail(err, PROACT_EINVAL, "an event cannot be recorded");
    if (!m->is_set || !streams_are_used(p))
        return PROACT_OK;
    status = streams_enter(p, err);

    if (!status)
        /* protocol: event-wait-stream */
        status =
            p->backend->wait_event(p->devices.device[0].lane[TRANSFER_MAIN], m->event, err);
    streams_leave(p);
    return status;
}

enum proact_status proact_event_wait(struct proact_event *m, struct proact_error *err)
{
    enum proact_status status =
        fail_if_null("proact_event_wait(e)", (const void *[]){m}, err);

    if (status)
        return status;
    return m->is_set ? session_await_event(m->session, m->event, err) : PROACT_OK;
}

enum proact_progress proact_event_query(const struct proact_event *m)
{
    return m->is_set ? session_progress(m->session, NULL, m->event) : PROACT_PROGRESS_DONE;
}

enum proact_status proact_event_elapsed(struct proact_event *from, struct proact_event *to,
                                        double *ns, struct proact_error *err)
{
    enum proact_status status = fail_if_null("proact_event_elapsed(from, to, ns)",
                                             (const void *[]){from, to, ns}, err);

    if (status)
        return status;
    if (from->session != to->session)
        return fail(err, PROACT_EINVAL, "the two events belong to different sessions");
    if (!from->is_set || !to->is_set)
        return fail(err, PROACT_EINVAL, "the %s event was never recorded",
                    from->is_set ? "second" : "first");
    if (!from->has_time || !to->has_time)
        return fail(err, PROACT_EINVAL, "the %s event has no time",
                    from->has_time ? "second" : "first");
    if (!session_is_first_alone(from->session) &&
        (status = proact_wait(from->session, err)))
        return status;
    return from->session->backend->elapsed(from->event, to->event, ns, err);
}
