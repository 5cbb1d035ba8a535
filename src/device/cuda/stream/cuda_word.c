/* SPDX-License-Identifier: Apache-2.0 */
/* Words of memory that streams wait for and write. */
#include "base/fail.h"
#include "base/memory.h"
#include "device/cuda/cuda_batch.h"
#include "device/cuda/graph/cuda_tape.h"

static enum proact_status wait_allowed(const struct device_stream *s, device_addr word,
                                       struct proact_error *err)
{
    unsigned owner = cuda_memory_device(s->set, word);

    if (owner == s->device || owner >= s->set->count)
        return PROACT_OK;
    return fail(err, PROACT_EINVAL,
                "a stream of device %u cannot wait for a word of device %u", s->device,
                owner);
}

/* Whether long-running work precedes the wait; an event must then record its end. */
static bool is_to_mark(struct device_stream *s)
{
    bool is_recorded = s->is_open_ended && !s->set->is_capturing;

    s->is_open_ended = false;
    return is_recorded;
}

/* Defers a wait, together with the event that records the end of previous work. */
static enum proact_status keep_back(struct cuda_wait *wait, struct proact_error *err)
{
    struct device_stream *s = wait->stream;
    const struct driver *v = &s->set->driver;

    if (is_to_mark(s)) {
        cu_result entered = cuda_context_push(v, s->set->devices[s->device].context);
        cu_result result =
            entered ? 0 : cuda_mark_take(s->set, s->device, false, &wait->before);

        cuda_context_pop(v);
        if (entered)
            return cuda_result(s->set, s->device, entered, "cuCtxPushCurrent", err);
        if (result)
            return cuda_result(s->set, s->device, result, "cuEventCreate", err);
    }
    return cuda_batch_wait_value(wait, err);
}

static cu_result queue(struct device_stream *s, const struct cuda_wait *w)
{
    if (s->set->is_capturing)
        return cuda_resident_wait(s, w->word, w->value);
    return s->set->driver.stream_wait_value(s->stream, w->word, w->value, CU_WAIT_AT_LEAST);
}

enum proact_status cuda_wait_value(struct device_stream *s, device_addr word,
                                   uint32_t value, const struct device_reason *reason,
                                   struct proact_error *err)
{
    struct device_set *set = s->set;
    struct cuda_wait wait = {
        .stream = s, .word = word, .value = value, .is_of_graph = set->is_capturing};
    enum proact_status status = wait_allowed(s, word, err);

    if (reason)
        wait.reason = *reason;
    if (status)
        return status;
    if (set->is_taping) {
        cuda_tape(&(struct cuda_taped_op){.kind = TAPED_WAIT_VALUE,
                                          .stream = s,
                                          .to = word,
                                          .value = value,
                                          .reason = wait.reason});
        return PROACT_OK;
    }
    if (cuda_batches(s))
        return keep_back(&wait, err);
    if ((status = cuda_use(s, err)))
        return status;
    cu_result result = is_to_mark(s) ? cuda_mark(s, false, &wait.before) : 0;

    if (!result)
        result = queue(s, &wait);
    if (result && wait.before)
        cuda_mark_back(set, s->device, false, wait.before);
    if (!(status = cuda_leave(set, s->device, result, "cuStreamWaitValue32", err)))
        cuda_wait_add(&wait);
    return status;
}

enum proact_status cuda_write_value(struct device_stream *s, device_addr word,
                                    uint32_t value, struct proact_error *err)
{
    if (s->set->is_taping) {
        cuda_tape(&(struct cuda_taped_op){
            .kind = TAPED_WRITE_VALUE, .stream = s, .to = word, .value = value});
        return PROACT_OK;
    }
    if (cuda_batches(s))
        return cuda_batch_write_value(s, word, value, err);
    enum proact_status status = cuda_use(s, err);

    if (status)
        return status;
    return cuda_leave(s->set, s->device,
                      s->set->driver.stream_write_value(s->stream, word, value, 0),
                      "cuStreamWriteValue32", err);
}
