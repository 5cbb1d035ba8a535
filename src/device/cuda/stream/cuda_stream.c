/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "device/cuda/cuda_batch.h"
#include "device/cuda/graph/cuda_repeat.h"
#include "device/cuda/graph/cuda_tape.h"

enum proact_status cuda_stream_create(struct device_set *set, unsigned device,
                                      struct device_stream **out, struct proact_error *err)
{
    enum proact_status status = cuda_enter(set, device, err);
    unsigned lane = 0;
    cu_event join = NULL;
    cu_stream stream;

    if (status)
        return status;
    cu_result result = set->driver.stream_create(&stream, CU_STREAM_NON_BLOCKING,
                                                 set->devices[device].lowest);

    if (!result && (result = set->driver.event_create(&join, CU_EVENT_WITHOUT_TIME)))
        set->driver.stream_destroy(stream);
    if ((status = cuda_leave(set, device, result, "cuStreamCreate", err)))
        return status;
    struct device_stream *s = must_calloc(1, sizeof *s);

    for (const struct device_stream *o = set->streams; o; o = o->next)
        lane += o->device == device;
    *s = (struct device_stream){.set = set,
                                .device = device,
                                .lane = lane,
                                .stream = stream,
                                .join = join,
                                .next = set->streams};
    set->streams = s;
    *out = s;
    return PROACT_OK;
}

void cuda_stream_destroy(struct device_stream *s)
{
    struct device_stream **link;

    if (!s)
        return;
    struct device_set *set = s->set;

    cuda_synchronize(set, NULL);
    cuda_waits_forget(set, s); /* the synchronize may have failed */
    for (link = &set->streams; *link != s;)
        link = &(*link)->next;
    *link = s->next;
    cuda_context_push(&set->driver, set->devices[s->device].context);
    if (!set->is_stuck) {
        set->driver.stream_destroy(s->stream);
        set->driver.event_destroy(s->join);
    }
    cuda_context_pop(&set->driver);
    free(s);
}

/* Copies in one driver call, contiguous or strided. */
static enum proact_status copy(struct device_stream *s, const struct device_rows *r,
                               struct proact_error *err)
{
    struct device_set *set = s->set;
    enum proact_status status;

    if (set->is_taping) {
        cuda_tape(&(struct cuda_taped_op){.kind = TAPED_COPY, .stream = s, .rows = *r});
        return PROACT_OK;
    }
    const bool batches = cuda_batches(s);

    if (!batches && cuda_repeats(s) &&
        cuda_reach_each_other(set, cuda_memory_device(set, r->to),
                              cuda_memory_device(set, r->from))) {
        cuda_repeat_copy(s, r);
        return PROACT_OK;
    }
    if (!batches && (status = cuda_use(s, err)))
        return status;
    unsigned to = cuda_memory_device(set, r->to);
    const struct cuda_span what = {
        .span = {.kind = DEVICE_SPAN_COPY, .name = "copy", .bytes = r->bytes * r->count},
        .peer = to == s->device ? set->count : to};
    size_t span = cuda_span_begin(s, &what);

    if (batches) {
        status = cuda_batch_copy(s, r, err);
        cuda_span_end(s, span);
        return status;
    }
    cu_result result = cuda_copy_now(s, r);

    cuda_span_end(s, span);
    return cuda_leave(set, s->device, result,
                      r->count > 1 ? "cuMemcpy2DAsync" : "cuMemcpyAsync", err);
}

static bool go_at_once(const struct device_stream *s, const struct device_rows *r)
{
    const struct device_set *set = s->set;
    const size_t most = (size_t)set->devices[s->device].pitch_max;

    return r->count == 1 || (r->to_pitch <= most && r->from_pitch <= most &&
                             cuda_reach_each_other(set, cuda_memory_device(set, r->to),
                                                   cuda_memory_device(set, r->from)));
}

enum proact_status cuda_copy_rows(struct device_stream *s, const struct device_rows *rows,
                                  struct proact_error *err)
{
    enum proact_status status = device_rows_check(rows, err);
    struct device_rows one = *rows;

    if (status || !rows->bytes || !rows->count)
        return status;
    if (go_at_once(s, rows))
        return copy(s, rows, err);
    one.count = 1;
    for (size_t i = 0; i < rows->count && !status; i++) {
        status = copy(s, &one, err);
        one.to += rows->to_pitch;
        one.from += rows->from_pitch;
    }
    return status;
}

enum proact_status cuda_copy(struct device_stream *s, device_addr to, device_addr from,
                             size_t bytes, struct proact_error *err)
{
    return cuda_copy_rows(s, &(struct device_rows){to, from, bytes, 1, bytes, bytes}, err);
}

enum proact_status cuda_fill(struct device_stream *s, device_addr to, unsigned char value,
                             size_t bytes, struct proact_error *err)
{
    if (s->set->is_taping && bytes) {
        cuda_tape(&(struct cuda_taped_op){
            .kind = TAPED_FILL, .stream = s, .to = to, .value = value, .bytes = bytes});
        return PROACT_OK;
    }
    if (bytes && cuda_batches(s))
        return cuda_batch_fill(s, to, value, bytes, err);
    if (bytes && cuda_repeats(s)) {
        cuda_repeat_fill(s, to, value, bytes);
        return PROACT_OK;
    }
    enum proact_status status = bytes ? cuda_use(s, err) : PROACT_OK;

    if (status || !bytes)
        return status;
    return cuda_leave(s->set, s->device, s->set->driver.fill(to, value, bytes, s->stream),
                      "cuMemsetD8Async", err);
}

/* Fills ranges in one call; deferred or captured fills are separate operations. */
enum proact_status cuda_fill_rows(struct device_stream *s, const struct device_rows *r,
                                  unsigned char value, struct proact_error *err)
{
    const bool is_kept = s->set->is_taping || cuda_batches(s) || cuda_repeats(s);
    enum proact_status status = PROACT_OK;

    for (size_t i = 0; is_kept && i < r->count && !status; i++)
        status = cuda_fill(s, r->to + i * r->to_pitch, value, r->bytes, err);
    if (is_kept || !r->bytes || !r->count || (status = cuda_use(s, err)))
        return status;
    return cuda_leave(
        s->set, s->device,
        s->set->driver.fill_rows(r->to, r->to_pitch, value, r->bytes, r->count, s->stream),
        "cuMemsetD2D8Async", err);
}
