/* SPDX-License-Identifier: Apache-2.0 */
/* Trace intervals: each kernel and copy lies between two events with time, which are read
   while idle. An event's time is a distance from the device's origin. The origin moves each
   time all devices are idle, since the driver reports distances with 24 bits. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "device/cuda/cuda_batch.h"

/* Records the origin; nothing is in flight. Its event is slightly later than its time, so
   that no interval ends after the current time. */
static cu_result set_origin(struct device_set *set, unsigned device)
{
    struct cuda_device *d = &set->devices[device];
    const struct driver *v = &set->driver;
    cu_result result = d->origin ? 0 : v->event_create(&d->origin, CU_EVENT_WITH_TIME);

    d->origin_ns = clock_host_ns() - set->opened_ns;
    if (!result)
        result = v->event_record(d->origin, d->rescue);
    return result ? result : v->stream_synchronize(d->rescue);
}

void cuda_origins_set(struct device_set *set, unsigned first)
{

    for (unsigned i = first; i < set->here; i++) {
        cuda_context_push(&set->driver, set->devices[i].context);
        set_origin(set, i);
        cuda_context_pop(&set->driver);
    }
}

static cu_result mark(struct device_stream *s, cu_event *out)
{
    const struct driver *v = &s->set->driver;

    if (!cuda_batches(s))
        return cuda_mark(s, true, out);
    cu_result result = cuda_context_push(v, s->set->devices[s->device].context);

    if (!result && !(result = cuda_mark_take(s->set, s->device, true, out)))
        cuda_batch_mark(s, *out);
    cuda_context_pop(v);
    return result;
}

size_t cuda_span_begin(struct device_stream *s, const struct cuda_span *what)
{
    struct device_set *set = s->set;

    if (!set->observer || set->is_capturing)
        return SIZE_MAX;
    struct cuda_span span = *what;

    span.span.device = s->device;
    span.span.lane = s->lane;
    if (mark(s, &span.from))
        return SIZE_MAX;
    set->spans = must_grow(set->spans, set->span_count, &set->span_capacity, sizeof span);
    set->spans[set->span_count] = span;
    return set->span_count++;
}

void cuda_span_end(struct device_stream *s, size_t span)
{
    struct device_set *set = s->set;

    if (span == SIZE_MAX || !mark(s, &set->spans[span].to))
        return;
    cuda_mark_back(set, s->device, true, set->spans[span].from);
    set->span_count = span; /* it is the last one */
}

void cuda_spans_forget(struct device_set *set)
{
    for (size_t i = 0; i < set->span_count; i++) {
        cuda_mark_back(set, set->spans[i].span.device, true, set->spans[i].from);
        cuda_mark_back(set, set->spans[i].span.device, true, set->spans[i].to);
    }
    set->span_count = 0;
}

/* Reports a copy as use of its link; other uses are unknown. */
static void cuda_span_report_link(struct device_set *set, const struct cuda_span *span)
{
    struct device_span link = span->span;

    if (span->peer >= set->count)
        return;
    link.kind = DEVICE_SPAN_LINK;
    link.lane = span->peer;
    set->observer(set->observer_context, &link);
}

static void cuda_span_report(struct device_set *set, struct cuda_span *span)
{
    const struct driver *v = &set->driver;
    const struct cuda_device *d = &set->devices[span->span.device];
    float from = 0, to = 0;

    cuda_context_push(v, d->context);
    if (!v->event_elapsed(&from, d->origin, span->from) &&
        !v->event_elapsed(&to, d->origin, span->to) && set->observer) {
        span->span.start_ns = d->origin_ns + (uint64_t)((double)from * 1e6);
        span->span.end_ns = d->origin_ns + (uint64_t)((double)to * 1e6);
        set->observer(set->observer_context, &span->span);
        cuda_span_report_link(set, span);
    }
    cuda_mark_back(set, span->span.device, true, span->from);
    cuda_mark_back(set, span->span.device, true, span->to);
    cuda_context_pop(v);
}

void cuda_spans_report(struct device_set *set)
{
    if (set->spans_are_lost)
        cuda_spans_forget(set);
    set->spans_are_lost = false;
    if (!set->span_count)
        return;
    for (size_t i = 0; i < set->span_count; i++)
        cuda_span_report(set, &set->spans[i]);
    set->span_count = 0;
    cuda_origins_set(set, 0);
}
