/* SPDX-License-Identifier: Apache-2.0 */
/* Streams and events: queues that advance whenever their state is queried. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "device/fake_cuda.h"

enum { COPY_NS = 1000, COPY_GBPS = 10 };
#define BLOCKED_NS 20000000000ull /* a synchronize would then never end */
#define LOADS_NS 1000000000ull    /* nor would the loading of a module */

static void append(struct fake_queue *q, struct fake_op op)
{
    struct fake_op *o = must_calloc(1, sizeof *o);

    *o = op;
    o->next = NULL;
    if (q->last)
        q->last->next = o;
    else
        q->first = o;
    q->last = o;
}

void fake_append(struct CUstream_st *s, struct fake_op op)
{
    op.device = s->device;
    append(s->capture ? &s->capture->lane[s->lane] : &s->queue, op);
}

void fake_queue(struct CUstream_st *s, struct fake_op op)
{
    if (s->is_default)
        fake_meet_before(s);
    fake_append(s, op);
    if (s->is_default)
        fake_meet_behind(s);
}

static void pop(struct fake_queue *q)
{
    struct fake_op *o = q->first;

    q->first = o->next;
    if (!q->first)
        q->last = NULL;
    fake_launch_destroy(o->launch);
    fake_run_destroy(o->run);
    fake_host_destroy(o->host);
    free(o);
}

void fake_queue_clear(struct fake_queue *q)
{
    while (q->first)
        pop(q);
}

/* The operation's memory must be mapped: hardware faults otherwise. */
static bool may_touch(const struct fake_op *o)
{
    bool may = (!o->to || fake_find(o->device, o->to, o->bytes)) &&
               (!o->from || fake_find(o->device, o->from, o->bytes));

    if (!may)
        fake_cuda()->lost = FAKE_ILLEGAL_ADDRESS;
    return may;
}

/* Whether that record of the event is still queued. */
static bool is_to_come(const struct CUevent_st *event, uint64_t record)
{
    for (const struct CUstream_st *s = fake_cuda()->streams; s; s = s->next)
        for (const struct fake_op *o = s->queue.first; o; o = o->next)
            if (o->kind == FAKE_RECORD && o->event == event && o->record == record)
                return true;
    return false;
}

/* Executes the operation. Returns whether it is done. `run` is its graph's state, or
   NULL. */
static bool go_on(struct fake_op *o, struct fake_run *run)
{
    switch (o->kind) {
    case FAKE_COPY: /* addresses were checked when the copy was queued */
        fake_cuda()->work_ns += COPY_NS + o->rows * o->bytes / COPY_GBPS;
        for (size_t y = 0; y < o->rows; y++)
            memmove(o->to + y * o->to_pitch, o->from + y * o->from_pitch, o->bytes);
        return true;
    case FAKE_FILL:
        if (may_touch(o))
            memset(o->to, (int)o->value, o->bytes);
        return true;
    case FAKE_RECORD:
        /* A later record may have run before, on another stream. */
        if (o->record > o->event->done) {
            o->event->done = o->record;
            o->event->done_ns = fake_cuda()->work_ns;
        }
        return true;
    case FAKE_WAIT:
        return !is_to_come(o->event, o->record);
    case FAKE_MARK:
        return fake_run_marks(run)[o->bytes] = true;
    case FAKE_WAIT_MARK:
        return fake_run_marks(run)[o->bytes];
    case FAKE_WAIT_VALUE: {
        uint32_t holds = 0;

        if (may_touch(o))
            memcpy(&holds, o->from, 4);
        return fake_cuda()->lost || (int32_t)(holds - o->value) >= 0;
    }
    case FAKE_WRITE_VALUE:
        if (may_touch(o))
            memcpy(o->to, &o->value, 4);
        return true;
    case FAKE_LAUNCH:
        return fake_launch_go_on(o->launch);
    case FAKE_GRAPH:
        return fake_graph_go_on(o);
    case FAKE_HOST:
        return fake_host_go_on(o->host);
    }
    return true;
}

bool fake_queue_go_on(struct fake_queue *q, struct fake_run *run)
{
    /* The lanes of a graph alternate, so that independent lanes advance. */
    for (bool is_on = true; is_on && q->first && !fake_cuda()->lost;) {
        bool is_wait = q->first->kind == FAKE_WAIT_MARK, is_done = go_on(q->first, run);

        if (is_done)
            pop(q);
        is_on = is_done && (!run || is_wait);
    }
    return !q->first;
}

cu_result fake_go_on(void)
{
    struct fake_cuda *f = fake_cuda();

    for (struct CUstream_st *s = f->streams; s && !f->lost; s = s->next)
        fake_queue_go_on(&s->queue, NULL);
    return f->lost;
}

static bool stream_waits_for_value(void)
{
    for (const struct CUstream_st *s = fake_cuda()->streams; s; s = s->next)
        if (s->queue.first && s->queue.first->kind == FAKE_WAIT_VALUE)
            return true;
    return false;
}

cu_result fake_await_words(void)
{
    uint64_t start = clock_host_ns();
    cu_result result = fake_go_on();

    while (!result && stream_waits_for_value()) {
        if (clock_host_ns() - start > LOADS_NS)
            return FAKE_LATE;
        result = fake_go_on();
    }
    return result;
}

cu_result cuStreamCreateWithPriority(cu_stream *out, unsigned flags, int priority)
{
    FAKE_ALONE;
    struct fake_cuda *f = fake_cuda();
    cu_result result = fake_enter(__func__);

    (void)priority;
    if (result)
        return result;
    struct CUstream_st *s = must_calloc(1, sizeof *s);

    s->device = fake_device();
    s->next = f->streams;
    f->streams = s;
    f->left++;
    if (flags == CU_STREAM_BLOCKING) {
        s->is_blocking = true;
        fake_meet(s, fake_stream(CU_STREAM_OLD_DEFAULT));
    }
    *out = s;
    return 0;
}

/* Queued records and waits still use the event. */
static bool is_queued(const struct CUevent_st *event)
{
    for (const struct CUstream_st *s = fake_cuda()->streams; s; s = s->next)
        for (const struct fake_op *o = s->queue.first; o; o = o->next)
            if (o->event == event)
                return true;
    return false;
}

cu_result cuStreamDestroy_v2(cu_stream stream)
{
    FAKE_ALONE;
    struct fake_cuda *f = fake_cuda();
    struct CUstream_st **link = &f->streams;
    cu_result result = fake_enter(__func__);

    while (!f->lost && is_queued(&stream->mark))
        fake_go_on();
    while (*link != stream)
        link = &(*link)->next;
    *link = stream->next;
    fake_queue_clear(&stream->queue);
    free(stream);
    f->left--;
    return result;
}

cu_result cuStreamQuery(cu_stream stream)
{
    FAKE_ALONE;
    cu_result result = fake_enter(__func__);

    if (!result)
        result = fake_go_on();
    return result ? result : fake_stream(stream)->queue.first ? CU_NOT_READY : 0;
}

cu_result fake_drain(struct CUstream_st *stream)
{
    uint64_t start = clock_host_ns();
    cu_result result = 0;

    while (!result && stream->queue.first) {
        result = fake_go_on();
        if (clock_host_ns() - start > BLOCKED_NS) {
            fputs("fake_cuda: a stream that is waited for would never end\n", stderr);
            abort();
        }
    }
    return result;
}

cu_result cuStreamSynchronize(cu_stream stream)
{
    FAKE_ALONE;
    cu_result result = fake_enter(__func__);

    return result ? result : fake_drain(fake_stream(stream));
}

/* A stream that waits for a captured event joins the capture. */
static void join(struct CUstream_st *s, struct CUgraph_st *g)
{
    if (s->capture == g)
        return;
    s->capture = g;
    s->lane = g->lanes++;
    g->stream[s->lane] = s;
}

cu_result cuStreamWaitEvent(cu_stream stream, cu_event event, unsigned flags)
{
    FAKE_ALONE;
    cu_result result = fake_enter(__func__);

    (void)flags;
    if (result)
        return result;
    stream = fake_stream(stream);
    if (event->capture) {
        join(stream, event->capture);
        fake_queue(stream, (struct fake_op){.kind = FAKE_WAIT_MARK, .bytes = event->mark});
    } else if (stream->capture) {
        return FAKE_CAPTURE_ISOLATION;
    } else {
        fake_queue(
            stream,
            (struct fake_op){.kind = FAKE_WAIT, .event = event, .record = event->recorded});
    }
    return 0;
}

cu_result cuStreamWaitValue32_v2(cu_stream stream, cu_address word, uint32_t value,
                                 unsigned flags)
{
    FAKE_ALONE;
    unsigned char *at = (unsigned char *)(uintptr_t)word;
    cu_result result = fake_enter(__func__);

    if (result)
        return result;
    if (flags != CU_WAIT_AT_LEAST || word % 4 || !fake_find(stream->device, at, 4))
        return CU_INVALID_VALUE;
    fake_queue(
        stream,
        (struct fake_op){.kind = FAKE_WAIT_VALUE, .from = at, .bytes = 4, .value = value});
    return 0;
}

cu_result cuStreamWriteValue32_v2(cu_stream stream, cu_address word, uint32_t value,
                                  unsigned flags)
{
    FAKE_ALONE;
    unsigned char *at = (unsigned char *)(uintptr_t)word;
    cu_result result = fake_enter(__func__);

    if (result)
        return result;
    if (flags || word % 4 || !fake_find(stream->device, at, 4))
        return CU_INVALID_VALUE;
    fake_queue(stream, (struct fake_op){
                           .kind = FAKE_WRITE_VALUE, .to = at, .bytes = 4, .value = value});
    return 0;
}

/* All or none of the operations. */
cu_result cuStreamBatchMemOp_v2(cu_stream stream, unsigned count, union cu_word_op *ops,
                                unsigned flags)
{
    FAKE_ALONE;
    cu_result result = fake_enter(__func__);

    for (unsigned i = 0; i < count && !result; i++)
        if (flags || ops[i].at.flags || ops[i].at.word % 4 ||
            (ops[i].what != CU_WORD_WAIT && ops[i].what != CU_WORD_WRITE) ||
            !fake_find(stream->device, (void *)(uintptr_t)ops[i].at.word, 4))
            result = CU_INVALID_VALUE;
    for (unsigned i = 0; i < count && !result; i++) {
        unsigned char *at = (unsigned char *)(uintptr_t)ops[i].at.word;
        const bool waits = ops[i].what == CU_WORD_WAIT;

        fake_queue(stream,
                   (struct fake_op){.kind = waits ? FAKE_WAIT_VALUE : FAKE_WRITE_VALUE,
                                    .from = waits ? at : NULL,
                                    .to = waits ? NULL : at,
                                    .bytes = 4,
                                    .value = ops[i].at.value});
    }
    return result;
}

cu_result cuEventCreate(cu_event *out, unsigned flags)
{
    FAKE_ALONE;
    cu_result result = fake_enter(__func__);

    if (result)
        return result;
    *out = must_calloc(1, sizeof **out);
    (*out)->has_time = flags == CU_EVENT_WITH_TIME;
    fake_cuda()->left++;
    return 0;
}

cu_result cuEventDestroy_v2(cu_event event)
{
    FAKE_ALONE;
    cu_result result = fake_enter(__func__);

    while (!fake_cuda()->lost && is_queued(event))
        fake_go_on();
    free(event);
    fake_cuda()->left--;
    return result;
}

cu_result cuEventRecord(cu_event event, cu_stream stream)
{
    FAKE_ALONE;
    cu_result result = fake_enter(__func__);

    if (result)
        return result;
    stream = fake_stream(stream);
    event->capture = stream->capture;
    if (stream->capture) {
        event->mark = stream->capture->marks++;
        fake_queue(stream, (struct fake_op){.kind = FAKE_MARK, .bytes = event->mark});
    } else {
        event->recorded++;
        fake_queue(stream, (struct fake_op){.kind = FAKE_RECORD,
                                            .event = event,
                                            .record = event->recorded});
    }
    return 0;
}

cu_result cuEventQuery(cu_event event)
{
    FAKE_ALONE;
    cu_result result = fake_enter(__func__);

    if (!result)
        result = fake_go_on();
    return result ? result : event->done < event->recorded ? CU_NOT_READY : 0;
}

cu_result cuEventSynchronize(cu_event event)
{
    FAKE_ALONE;
    uint64_t start = clock_host_ns();
    cu_result result = fake_enter(__func__);

    while (!result && event->done < event->recorded) {
        result = fake_go_on();
        if (clock_host_ns() - start > BLOCKED_NS) {
            fputs("fake_cuda: an event that is waited for would never come\n", stderr);
            abort();
        }
    }
    return result;
}

cu_result cuEventElapsedTime(float *ms, cu_event from, cu_event to)
{
    return cuEventElapsedTime_v2(ms, from, to);
}

cu_result cuEventElapsedTime_v2(float *ms, cu_event from, cu_event to)
{
    FAKE_ALONE;
    cu_result result = fake_enter(__func__);

    if (result)
        return result;
    if (!from->has_time || !to->has_time || !from->recorded || !to->recorded)
        return CU_INVALID_VALUE;
    *ms = (float)((double)(int64_t)(to->done_ns - from->done_ns) / 1e6);
    return from->done == from->recorded && to->done == to->recorded ? 0 : CU_NOT_READY;
}
