/* SPDX-License-Identifier: Apache-2.0 */
/* The frame of every call of the driver. */
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "device/cuda/cuda_set.h"

enum proact_status cuda_enter(struct device_set *set, unsigned device,
                              struct proact_error *err)
{
    if (set->broken)
        return fail(err, set->broken, "%s", set->sentence);
    cu_result result = set->driver.context_push(set->devices[device].context);

    if (!result)
        return PROACT_OK;
    return fail(err, driver_status(result), "device %u: cuCtxPushCurrent: %s", device,
                driver_words(&set->driver, result).text);
}

/* A capture takes a stream in with its first operation; behind a graph it waits then. */
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

    return result ? cuda_leave(s->set, s->device, result, "cuStreamWaitEvent", err)
                  : PROACT_OK;
}

enum proact_status cuda_break(struct device_set *set, enum proact_status status,
                              struct proact_error *err)
{
    if (!set->broken) {
        set->broken = status;
        if (err)
            memcpy(set->sentence, err->text, sizeof set->sentence - 1);
    }
    return status;
}

/* Which kernels were under way when something broke: hardware does not say which one. */
static enum proact_status fault(struct device_set *set, unsigned device, cu_result result,
                                struct proact_error *err)
{
    const struct cuda_device *d = &set->devices[device];
    struct proact_error said;
    char list[200] = "";
    size_t length = 0;

    for (unsigned i = 0; i < CUDA_LABELS && i < d->label_count; i++)
        if (length + strlen(d->labels[i]) + sizeof ", ''" < sizeof list)
            length += (size_t)snprintf(list + length, sizeof list - length, "%s'%s'",
                                       length ? ", " : " ", d->labels[i]);
    fail(&said, PROACT_EFAULT, "device %u: a kernel broke: %s; queued there last were%s",
         device, driver_words(&set->driver, result).text, list[0] ? list : " none");
    set->is_lost = true;
    if (err)
        *err = said;
    return cuda_break(set, PROACT_EFAULT, &said);
}

enum proact_status cuda_leave(struct device_set *set, unsigned device, cu_result result,
                              const char *call, struct proact_error *err)
{
    enum proact_status status = driver_status(result);
    cu_context was;

    set->driver.context_pop(&was);
    if (!status)
        return PROACT_OK;
    if (status == PROACT_EFAULT)
        return fault(set, device, result, err);
    return fail(err, status, "device %u: %s: %s", device, call,
                driver_words(&set->driver, result).text);
}
