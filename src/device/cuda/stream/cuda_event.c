/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/fail.h"
#include "base/memory.h"
#include "device/cuda/cuda_batch.h"
#include "device/cuda/graph/cuda_tape.h"

enum proact_status cuda_event_create(struct device_set *set, unsigned device, bool has_time,
                                     struct device_event **out, struct proact_error *err)
{
    enum proact_status status = cuda_enter(set, device, err);
    cu_event event;

    if (status)
        return status;
    cu_result result = set->driver.event_create(&event, has_time ? CU_EVENT_WITH_TIME
                                                                 : CU_EVENT_WITHOUT_TIME);

    if ((status = cuda_leave(set, device, result, "cuEventCreate", err)))
        return status;
    struct device_event *e = must_calloc(1, sizeof *e);

    *e = (struct device_event){.set = set,
                               .device = device,
                               .event = event,
                               .has_time = has_time,
                               .next = set->events};
    set->events = e;
    *out = e;
    return PROACT_OK;
}

void cuda_event_destroy(struct device_event *e)
{
    struct device_event **link;

    if (!e)
        return;
    struct device_set *set = e->set;

    for (link = &set->events; *link != e;)
        link = &(*link)->next;
    *link = e->next;
    cuda_context_push(&set->driver, set->devices[e->device].context);
    set->driver.event_destroy(e->event);
    cuda_context_pop(&set->driver);
    free(e);
}

enum proact_status cuda_record(struct device_stream *s, struct device_event *e,
                               struct proact_error *err)
{
    enum proact_status status;

    if (e->device != s->device)
        return fail(err, PROACT_EINVAL,
                    "an event of device %u cannot be recorded on a stream of device %u",
                    e->device, s->device);
    e->is_recorded = true;
    e->capture = s->set->is_taping ? s->set->captures : 0;
    if (s->set->is_taping) {
        cuda_tape(&(struct cuda_taped_op){.kind = TAPED_RECORD, .stream = s, .event = e});
        return PROACT_OK;
    }
    if (cuda_batches(s))
        return cuda_batch_record(s, e, err);
    if ((status = cuda_use(s, err)))
        return status;
    return cuda_leave(s->set, s->device, s->set->driver.event_record(e->event, s->stream),
                      "cuEventRecord", err);
}

enum proact_status cuda_wait_event(struct device_stream *s, struct device_event *e,
                                   struct proact_error *err)
{
    struct device_set *set = s->set;
    enum proact_status status;

    /* A graph follows all earlier work, and all later work follows the graph. */
    if (e->capture != (set->is_taping ? set->captures : 0))
        return PROACT_OK;
    if (set->is_taping) {
        cuda_tape(
            &(struct cuda_taped_op){.kind = TAPED_WAIT_EVENT, .stream = s, .event = e});
        return PROACT_OK;
    }
    s->is_open_ended = true;
    if (cuda_batches(s))
        return cuda_batch_wait(s, e, err);
    if ((status = cuda_use(s, err)))
        return status;
    return cuda_leave(s->set, s->device,
                      s->set->driver.stream_wait_event(s->stream, e->event, 0),
                      "cuStreamWaitEvent", err);
}

/* Waits for an event. While streams wait for words, only a watched wait is safe. */
enum proact_status cuda_await_event(struct device_event *e, struct proact_error *err)
{
    struct device_set *set = e->set;

    if (set->wait_count)
        return cuda_synchronize(set, err);
    enum proact_status status = cuda_enter(set, e->device, err);

    return status ? status
                  : cuda_leave(set, e->device, set->driver.event_synchronize(e->event),
                               "cuEventSynchronize", err);
}

static cu_result look_at(struct device_stream *s)
{
    const cu_result result = s->is_busy ? s->set->driver.stream_query(s->stream) : 0;

    s->is_busy &= result != 0;
    return result;
}

static cu_result look(struct device_set *set, struct device_stream *s,
                      const struct device_event *e)
{
    cu_result result = 0;

    if (e)
        return set->driver.event_query(e->event);
    if (s)
        return look_at(s);
    for (s = set->streams; s && !result; s = s->next)
        result = look_at(s);
    return result;
}

/* Queries progress. While streams wait for words it is unknown, since a caller that polls
   could otherwise poll forever. */
enum proact_progress cuda_progress(struct device_set *set, struct device_stream *s,
                                   const struct device_event *e)
{

    if (set->wait_count || cuda_enter(set, e ? e->device : s ? s->device : 0, NULL))
        return PROACT_PROGRESS_UNKNOWN;
    const cu_result result = look(set, s, e);

    cuda_context_pop(&set->driver);
    return result == CU_NOT_READY ? PROACT_PROGRESS_RUNNING
           : result               ? PROACT_PROGRESS_UNKNOWN
                                  : PROACT_PROGRESS_DONE;
}

bool cuda_try_quiesce(struct device_set *set, uint64_t limit_ns)
{
    const uint64_t from = clock_host_ns();
    bool is_idle = false;

    if (set->broken || cuda_enter(set, 0, NULL))
        return true;
    while (!(is_idle = look(set, NULL, NULL) != CU_NOT_READY) &&
           clock_host_ns() - from < limit_ns)
        nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
    cuda_context_pop(&set->driver);
    return is_idle;
}

enum proact_status cuda_elapsed(struct device_event *from, struct device_event *to,
                                double *ns, struct proact_error *err)
{
    enum proact_status status;
    float ms = 0;

    if (!from->is_recorded || !to->is_recorded)
        return fail(err, PROACT_EINVAL, "an event of device %u was not recorded yet",
                    from->is_recorded ? to->device : from->device);
    if (!from->has_time || !to->has_time)
        return fail(err, PROACT_EINVAL, "an event of device %u was created without timing",
                    from->has_time ? to->device : from->device);
    if (from->device != to->device)
        return fail(err, PROACT_EINVAL, "events of devices %u and %u have no common clock",
                    from->device, to->device);
    cu_result result = 0;

    if ((status = cuda_enter(from->set, from->device, err)))
        return status;
    result = from->set->driver.event_elapsed(&ms, from->event, to->event);
    if (result == CU_NOT_READY) {
        cuda_leave(from->set, from->device, 0, "", NULL);
        if ((status = cuda_await_event(from, err)) ||
            (status = cuda_await_event(to, err)) ||
            (status = cuda_enter(from->set, from->device, err)))
            return status;
        result = from->set->driver.event_elapsed(&ms, from->event, to->event);
    }
    status = cuda_leave(from->set, from->device, result, "cuEventElapsedTime", err);
    if (!status)
        *ns = (double)ms * 1e6;
    return status;
}
