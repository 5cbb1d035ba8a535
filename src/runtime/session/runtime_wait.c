/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/session/runtime_wait.h"

#include "base/clock.h"
#include "base/fail.h"
#include "runtime/objects/array.h"
#include "runtime/objects/binding.h"
#include "runtime/objects/session.h"
#include "runtime/session/program_streams.h"
#include "runtime/validity/array_validity.h"

/* Reports a timeout of an agent, with the launch that it belonged to. */
static enum proact_status check_late(struct proact *p, unsigned device,
                                     struct proact_error *err)
{
    struct transfer_late check_timeouts;
    bool is_late;
    enum proact_status status =
        transfer_late(&p->devices, device, &is_late, &check_timeouts, err);

    if (status || !is_late)
        return status;
    for (size_t i = 0; i < p->launch_count; i++) {
        const struct kernel_binding *b = p->launches[i].binding;

        if (transfer_late_is(&check_timeouts, p->launches[i].epoch))
            return transfer_late_fail(&p->devices, device, &check_timeouts,
                                      b->transfer.slot[check_timeouts.slot].tables,
                                      b->array[check_timeouts.slot]->name,
                                      b->cta_first[device], err);
    }
    return fail(err, PROACT_ETIMEOUT, "an agent of device %u timed out on chunk %u", device,
                check_timeouts.chunk);
}

static enum proact_status wait_check_array(struct proact_array *a, struct proact_error *err)
{
    struct proact *p = a->session;
    enum proact_status status = PROACT_OK;

    for (size_t n = 0; n < a->validity_map.count && !status; n++) {
        uint64_t first = n ? a->validity_map.piece[n - 1].end : 0;
        uint64_t bytes = a->validity_map.piece[n].end - first;

        for (unsigned d = 0; d < p->devices.count && !status; d++)
            if (a->validity_map.piece[n].devices >> d & 1)
                status = p->backend->current(p->set, a->base[d] + first, bytes, err);
    }
    return status;
}

/* Checks the validity maps against the contents of the replicas. Arrays that did not change
   since are left out, so that a wait costs what was done before it. */
static enum proact_status wait_check_blocked(struct proact *p, struct proact_error *err)
{
    enum proact_status status = PROACT_OK;

    if (!p->backend->current || p->elides || devices_here(p) == 1)
        return PROACT_OK;
    for (struct proact_array *a = p->arrays; a && !status; a = a->next) {
        struct array_checked now = {p->backend->replica_stores(p->set, a->base[0]), 0};

        if (!now.stores)
            continue;
        array_catch_up(a);
        now.digest = validity_digest(&a->validity_map);
        if (now.stores == a->checked.stores && now.digest == a->checked.digest)
            continue;
        status = wait_check_array(a, err);
        if (!status)
            a->checked = now;
    }
    return status;
}

static enum proact_status wait_for_all(struct proact *p, struct proact_error *err)
{
    enum proact_status status = p->backend->synchronize(p->set, err);

    p->now_ns = p->backend->now_ns(p->set);
    span_book_fold(&p->book);
    /* All devices are checked, so that an old timeout is not reported at the next wait. */
    for (unsigned d = 0; d < p->devices.count && p->launch_count; d++) {
        enum proact_status check_timeouts = check_late(p, d, status ? NULL : err);

        if (!status)
            status = check_timeouts;
    }
    /* Reports waits in recordings, mostly for such an agent, with less detail. */
    if (!status && p->backend->check_timeouts)
        status = p->backend->check_timeouts(p->set, err);
    if (!status)
        status = wait_check_blocked(p, err);
    if (status)
        p->generation++;
    else {
        streams_quiesced(p);
        p->order.settled = p->sequence;
        p->order.is_elsewhere = false;
    }
    p->launch_count = 0;
    return status;
}

bool session_is_first_alone(const struct proact *p)
{
    return !p->order.is_elsewhere && !p->launch_count && !p->kept_status && !p->recording &&
           !p->has_interop && !p->book.observer && !p->backend->is_virtual;
}

enum proact_status session_read_first(struct proact *p, const struct device_rows *rows,
                                      struct proact_error *err)
{
    const bool any = rows->bytes && rows->count, is_all = any && session_is_first_alone(p);
    enum proact_status status = is_all ? streams_enter(p, err) : proact_wait(p, err);

    if (!status && any)
        status = device_read_rows(p->backend, p->devices.device[0].lane[TRANSFER_MAIN],
                                  rows, err);
    if (!is_all)
        return status;
    streams_leave(p);
    if (status || streams_are_used(p))
        return status;
    p->order.settled = p->sequence;
    span_book_fold(&p->book);
    return PROACT_OK;
}

enum proact_status session_await_event(struct proact *p, struct device_event *event,
                                       struct proact_error *err)
{
    enum { MANY = 1 << 16 }; /* a limit on the work that only a wait for all cleans up */

    const bool is_alone =
        session_is_first_alone(p) && p->sequence - p->order.settled < MANY;

    /* An event after work that waits for the host is waited for alone. */
    return p->backend->await_event && (is_alone || !session_try_quiesce(p))
               ? p->backend->await_event(event, err)
               : proact_wait(p, err);
}

enum proact_progress session_progress(const struct proact *p, struct device_stream *s,
                                      const struct device_event *event)
{
    const enum proact_progress progress = p->backend->progress && !p->recording
                                              ? p->backend->progress(p->set, s, event)
                                              : PROACT_PROGRESS_UNKNOWN;

    /* Other devices may still execute earlier work. */
    return progress == PROACT_PROGRESS_DONE && !session_is_first_alone(p)
               ? PROACT_PROGRESS_UNKNOWN
               : progress;
}

enum proact_status session_await_queued(struct proact *p, struct proact_error *err)
{
    if (p->backend->is_virtual || p->recording || !session_try_quiesce(p))
        return PROACT_OK;
    const uint64_t from = clock_host_ns();
    const enum proact_status status = proact_wait(p, err);

    p->preparations.waited_ns += clock_host_ns() - from;
    return status;
}

void session_keep(struct proact *p, enum proact_status status,
                  const struct proact_error *err)
{
    if (!status || p->kept_status)
        return;
    p->kept_status = status;
    p->kept = *err;
}

void session_settle(struct proact *p)
{
    struct proact_error err = {""};
    enum proact_status status = wait_for_all(p, &err);

    session_keep(p, status, &err);
}

bool session_try_quiesce(struct proact *p)
{
    enum {
        LIMIT_NS = 100000000
    }; /* the full limit applies once; further calls do not wait until the devices are
          idle */

    if (!p->has_waiting || p->recording) /* streams under capture cannot be queried */
        return true;
    p->is_blocked = !p->backend->try_quiesce(p->set, p->is_blocked ? 0 : LIMIT_NS);
    return !p->is_blocked;
}

enum proact_status proact_wait(struct proact *p, struct proact_error *err)
{
    enum proact_status status = fail_if_null("proact_wait(p)", (const void *[]){p}, err);

    if (status)
        return status;
    if (p->recording)
        return fail(err, PROACT_EINVAL, "a wait cannot be recorded: end the recording");
    status = wait_for_all(p, err);

    if (!p->kept_status)
        return status;
    status = p->kept_status;
    if (err)
        *err = p->kept;
    p->kept_status = PROACT_OK;
    return status;
}

uint64_t proact_now_ns(const struct proact *p)
{
    return p->now_ns;
}
