/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "device/cuda/cuda_tape.h"

enum { STAGE_MAX_BYTES = 64 << 20 }; /* of one write, at a time */

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
    cu_context was;

    if (!s)
        return;
    struct device_set *set = s->set;

    cuda_synchronize(set, NULL);
    cuda_waits_forget(set, s); /* it may have failed */
    for (link = &set->streams; *link != s;)
        link = &(*link)->next;
    *link = s->next;
    set->driver.context_push(set->devices[s->device].context);
    if (!set->is_stuck) {
        set->driver.stream_destroy(s->stream);
        set->driver.event_destroy(s->join);
    }
    set->driver.context_pop(&was);
    free(s);
}

/* Where one of the two is out of the other's reach, the driver goes through the host; that
   cannot be captured. */
static cu_result copy_between(struct device_set *set, unsigned to_device,
                              unsigned from_device, device_addr to, device_addr from,
                              size_t bytes, cu_stream stream)
{
    if (to_device < set->count && from_device < set->count && to_device != from_device &&
        !(set->devices[from_device].reaches[to_device] &&
          set->devices[to_device].reaches[from_device]))
        return set->driver.copy_peer(to, set->devices[to_device].context, from,
                                     set->devices[from_device].context, bytes, stream);
    return set->driver.copy(to, from, bytes, stream);
}

enum proact_status cuda_copy(struct device_stream *s, device_addr to, device_addr from,
                             size_t bytes, struct proact_error *err)
{
    struct device_set *set = s->set;

    if (set->is_taping && bytes) {
        cuda_tape(&(struct cuda_taped_op){
            .kind = TAPED_COPY, .stream = s, .to = to, .from = from, .bytes = bytes});
        return PROACT_OK;
    }
    unsigned to_device = cuda_memory_device(set, to);
    unsigned from_device = cuda_memory_device(set, from);
    enum proact_status status = bytes ? cuda_use(s, err) : PROACT_OK;

    if (status || !bytes)
        return status;
    const struct cuda_span what = {
        .span = {.kind = DEVICE_SPAN_COPY, .name = "copy", .bytes = bytes},
        .peer = to_device == s->device ? set->count : to_device};
    size_t span = cuda_span_begin(s, &what);
    cu_result result =
        copy_between(set, to_device, from_device, to, from, bytes, s->stream);

    cuda_span_end(s, span);
    return cuda_leave(set, s->device, result, "cuMemcpyAsync", err);
}

static enum proact_status write_part(struct device_stream *s, device_addr to,
                                     const void *from, size_t bytes,
                                     struct proact_error *err)
{
    unsigned char *stage;
    enum proact_status status = cuda_stage(s->set, bytes, &stage, err);

    if (status || (status = cuda_use(s, err)))
        return status;
    memcpy(stage, from, bytes);
    return cuda_leave(s->set, s->device,
                      s->set->driver.copy_in(to, stage, bytes, s->stream),
                      "cuMemcpyHtoDAsync", err);
}

enum proact_status cuda_write(struct device_stream *s, device_addr to, const void *from,
                              size_t bytes, struct proact_error *err)
{
    enum proact_status status = PROACT_OK;

    for (size_t at = 0; at < bytes && !status; at += STAGE_MAX_BYTES) {
        size_t part = bytes - at < STAGE_MAX_BYTES ? bytes - at : STAGE_MAX_BYTES;

        status = write_part(s, to + at, (const char *)from + at, part, err);
    }
    return status;
}

enum proact_status cuda_read(struct device_stream *s, void *into, device_addr from,
                             size_t bytes, struct proact_error *err)
{
    enum proact_status status = bytes ? cuda_await(s->set, s, err) : PROACT_OK;

    if (status || !bytes || (status = cuda_use(s, err)))
        return status;
    cu_result result = s->set->driver.copy_out(into, from, bytes, s->stream);

    if (!result)
        result = s->set->driver.stream_synchronize(s->stream);
    return cuda_leave(s->set, s->device, result, "cuMemcpyDtoHAsync", err);
}

enum proact_status cuda_fill(struct device_stream *s, device_addr to, unsigned char value,
                             size_t bytes, struct proact_error *err)
{
    if (s->set->is_taping && bytes) {
        cuda_tape(&(struct cuda_taped_op){
            .kind = TAPED_FILL, .stream = s, .to = to, .value = value, .bytes = bytes});
        return PROACT_OK;
    }
    enum proact_status status = bytes ? cuda_use(s, err) : PROACT_OK;

    if (status || !bytes)
        return status;
    return cuda_leave(s->set, s->device, s->set->driver.fill(to, value, bytes, s->stream),
                      "cuMemsetD8Async", err);
}
