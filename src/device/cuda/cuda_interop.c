/* SPDX-License-Identifier: Apache-2.0 */
/* Interoperation. Libraries of the program use the same primary contexts, on the legacy
   default stream or on streams that synchronize with it. Work on the legacy stream waits
   for all of these streams, and they wait for it. Two events therefore suffice for
   ordering. */
#include "device/cuda/cuda_set.h"

/* Sets the thread's context if it has none, and leaves it set. Some libraries use the
   current context as CUDA's own runtime would have left it. */
static cu_result give_context(const struct device_set *set, unsigned device)
{
    cu_context has = NULL;
    cu_result result = set->driver.context_current(&has);

    if (!result && !has)
        /* protocol: interop-context */
        result = set->driver.context_set(set->devices[device].context);
    return result;
}

void cuda_interop_attach_thread(struct device_set *set, unsigned device)
{
    give_context(set, device);
}

enum proact_status cuda_interop_begin(struct device_stream *s, struct proact_error *err)
{
    const struct driver *v = &s->set->driver;
    cu_result given = give_context(s->set, s->device);
    enum proact_status status = cuda_use(s, err);

    if (!status && given)
        return cuda_leave(s->set, s->device, given, "cuCtxSetCurrent", err);
    if (status)
        return status;
    cu_result result = 0;

    /* protocol: interop-begin-record */
    result = v->event_record(s->join, s->stream);
    if (!result)
        /* protocol: interop-begin-wait */
        result = v->stream_wait_event(CU_STREAM_OLD_DEFAULT, s->join, 0);
    return cuda_leave(s->set, s->device, result, "cuStreamWaitEvent", err);
}

enum proact_status cuda_interop_end(struct device_stream *s, struct proact_error *err)
{
    const struct driver *v = &s->set->driver;
    enum proact_status status = cuda_use(s, err);

    if (status)
        return status;
    s->is_open_ended = true;
    cu_result result = 0;

    /* protocol: interop-end-record */
    result = v->event_record(s->join, CU_STREAM_OLD_DEFAULT);
    if (!result)
        /* protocol: interop-end-wait */
        result = v->stream_wait_event(s->stream, s->join, 0);
    return cuda_leave(s->set, s->device, result, "cuEventRecord", err);
}

enum proact_status cuda_interop_stream_create(struct device_set *set, unsigned device,
                                              void **out, struct proact_error *err)
{
    enum proact_status status = cuda_enter(set, device, err);
    cu_stream stream = NULL;

    if (status)
        return status;
    cu_result result =
        set->driver.stream_create(&stream, CU_STREAM_BLOCKING, set->devices[device].lowest);

    if (!(status = cuda_leave(set, device, result, "cuStreamCreate", err)))
        *out = stream;
    return status;
}

void cuda_interop_stream_destroy(struct device_set *set, unsigned device, void *stream)
{

    if (set->is_stuck || set->is_lost)
        return;
    cuda_context_push(&set->driver, set->devices[device].context);
    set->driver.stream_destroy(stream);
    cuda_context_pop(&set->driver);
}
