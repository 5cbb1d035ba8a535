/* SPDX-License-Identifier: Apache-2.0 */
/* Entry and exit of every driver call. */
#include "base/fail.h"
#include "device/cuda/cuda_batch.h"

enum proact_status cuda_enter(struct device_set *set, unsigned device,
                              struct proact_error *err)
{
    enum proact_status status = cuda_batch_flush(set, err);

    if (status)
        return status;
    if (set->broken)
        return fail(err, set->broken, "%s", set->sentence);
    if (device >= set->here)
        return fail(err, PROACT_EINVAL, "device %u is not open yet", device);
    cu_result result = cuda_context_push(&set->driver, set->devices[device].context);

    if (!result)
        return PROACT_OK;
    cuda_context_pop(&set->driver);
    return fail(err, driver_status(result), "device %u: cuCtxPushCurrent: %s", device,
                driver_words(&set->driver, result).text);
}

/* Adds the stream to a capture at its first operation, or makes it wait for the last
   graph. */
static cu_result take_in(struct device_stream *s)
{
    struct device_set *set = s->set;
    cu_result result = 0;

    if (s == set->devices[s->device].graph_stream)
        return 0;
    if (set->is_capturing) {
        if (!s->is_captured)
            result = set->driver.stream_wait_event(s->stream,
                                                   set->devices[s->device].graph_begin, 0);
        s->is_captured = true;
        return result;
    }
    if (s->is_behind)
        result = set->driver.stream_wait_event(s->stream, set->devices[0].graph_end, 0);
    s->is_behind = false;
    s->is_ahead = true;
    return result;
}

enum proact_status cuda_use(struct device_stream *s, struct proact_error *err)
{
    enum proact_status status = cuda_enter(s->set, s->device, err);

    if (status)
        return status;
    cu_result result = take_in(s);

    s->is_busy = true;
    return result ? cuda_leave(s->set, s->device, result, "cuStreamWaitEvent", err)
                  : PROACT_OK;
}

enum proact_status cuda_leave(struct device_set *set, unsigned device, cu_result result,
                              const char *call, struct proact_error *err)
{

    cuda_context_pop(&set->driver);
    return cuda_result(set, device, result, call, err);
}
