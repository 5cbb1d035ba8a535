/* SPDX-License-Identifier: Apache-2.0 */
/* What a launch queues on several devices is kept back for the moment and then handed to
   the driver by a thread a device (cuda_crew.h). Only launches, records and waits for
   events are kept; any other call of the driver's comes behind them, in cuda_enter(). */
#include "device/cuda/cuda_batch.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"
#include "device/cuda/cuda_crew.h"

enum batch_kind { BATCH_LAUNCH, BATCH_RECORD, BATCH_WAIT };

struct batch_op {
    enum batch_kind kind;
    struct device_stream *stream;
    struct device_event *event;
    struct device_function *function;
    struct device_launch launch;
    void *parameters; /* owned, of `room` bytes; kept for the next batch */
    size_t room;
};

struct batch_list {
    struct batch_op *op;
    size_t count, capacity;
    size_t failed; /* the number of the op that did; count: the one ahead of all */
    cu_result result;
};

struct cuda_batch {
    uint64_t number; /* of the batch; an event knows which ones it took part in */
    unsigned busy;   /* devices that have something */
    unsigned device[TOPOLOGY_DEVICES_MAX];
    struct batch_list list[TOPOLOGY_DEVICES_MAX];
};

/* With a processor left for each helper; or as many as were asked for. */
static unsigned helpers_for(const struct device_set *set, unsigned threads)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned most = threads ? threads - 1 : processors > 1 ? (unsigned)processors - 1 : 0;

    if (!threads && most < set->count)
        return 0;
    return most < set->count - 1 ? most : set->count - 1;
}

void cuda_batch_open(struct device_set *set, unsigned threads)
{
    unsigned helpers = set->count > 1 ? helpers_for(set, threads) : 0;

    if (!helpers)
        return;
    set->batch = must_calloc(1, sizeof *set->batch);
    set->crew = crew_create(helpers);
    set->batch->number = 1;
}

void cuda_batch_close(struct device_set *set)
{
    struct cuda_batch *b = set->batch;

    if (!b)
        return;
    crew_destroy(set->crew);
    set->crew = NULL;
    for (unsigned d = 0; d < set->count; d++) {
        for (size_t i = 0; i < b->list[d].capacity; i++)
            free(b->list[d].op[i].parameters);
        free(b->list[d].op);
    }
    free(b);
    set->batch = NULL;
}

void cuda_batch_begin(struct device_set *set)
{
    set->is_batching = set->batch && !set->observer && !set->nvtx.push && !set->is_taping;
}

enum proact_status cuda_batch_end(struct device_set *set, struct proact_error *err)
{
    set->is_batching = false;
    return cuda_batch_flush(set, err);
}

static cu_result perform_one(const struct batch_op *op)
{
    const struct driver *v = &op->stream->set->driver;
    cu_stream stream = op->stream->stream;

    switch (op->kind) {
    case BATCH_LAUNCH:
        return cuda_launch_now(op->stream, op->function, &op->launch);
    case BATCH_RECORD:
        return v->event_record(op->event->event, stream);
    case BATCH_WAIT:
        return v->stream_wait_event(stream, op->event->event, 0);
    }
    return CU_INVALID_VALUE;
}

/* Everything of one device, by whichever thread: touches nothing that another's does. */
static void perform(void *context, unsigned part)
{
    struct device_set *set = context;
    unsigned device = set->batch->device[part];
    struct batch_list *l = &set->batch->list[device];
    cu_context was;

    l->failed = l->count;
    l->result = set->driver.context_push(set->devices[device].context);
    if (l->result)
        return;
    for (l->failed = 0; l->failed < l->count; l->failed++)
        if ((l->result = perform_one(&l->op[l->failed])))
            break;
    set->driver.context_pop(&was);
}

static enum proact_status say(struct device_set *set, unsigned device,
                              struct proact_error *err)
{
    const struct batch_list *l = &set->batch->list[device];

    if (l->failed == l->count)
        return cuda_result(set, device, l->result, "cuCtxPushCurrent", err);
    const struct batch_op *op = &l->op[l->failed];

    if (op->kind == BATCH_LAUNCH)
        return cuda_launch_said(op->stream, op->function, &op->launch, l->result, err);
    return cuda_result(set, device, l->result,
                       op->kind == BATCH_RECORD ? "cuEventRecord" : "cuStreamWaitEvent",
                       err);
}

enum proact_status cuda_batch_flush(struct device_set *set, struct proact_error *err)
{
    struct cuda_batch *b = set->batch;
    enum proact_status status = PROACT_OK;

    if (!b || !b->busy)
        return PROACT_OK;
    unsigned busy = b->busy;

    b->busy = 0;
    b->number++;
    if (set->broken)
        status = fail(err, set->broken, "%s", set->sentence);
    else
        crew_run(set->crew, busy, perform, set);
    for (unsigned i = 0; i < busy; i++) {
        struct batch_list *l = &b->list[b->device[i]];

        if (!status && l->result)
            status = say(set, b->device[i], err);
        l->count = 0;
    }
    return status;
}

static struct batch_op *add(struct device_stream *s, enum batch_kind kind)
{
    struct cuda_batch *b = s->set->batch;
    struct batch_list *l = &b->list[s->device];
    size_t before = l->capacity;

    l->op = must_grow(l->op, l->count, &l->capacity, sizeof *l->op);
    if (l->capacity > before)
        memset(l->op + before, 0, (l->capacity - before) * sizeof *l->op);
    if (!l->count)
        b->device[b->busy++] = s->device;
    s->is_busy = s->is_ahead = true;
    struct batch_op *op = &l->op[l->count++];

    op->kind = kind;
    op->stream = s;
    return op;
}

bool cuda_batches(const struct device_stream *s)
{
    return s->set->is_batching && !s->is_behind;
}

void cuda_batch_launch(struct device_stream *s, struct device_function *f,
                       const struct device_launch *launch)
{
    struct batch_op *op = add(s, BATCH_LAUNCH);

    op->function = f;
    op->launch = *launch;
    if (op->room < launch->parameter_bytes) {
        free(op->parameters);
        op->parameters = must_calloc(1, launch->parameter_bytes);
        op->room = launch->parameter_bytes;
    }
    if (launch->parameter_bytes)
        memcpy(op->parameters, launch->parameters, launch->parameter_bytes);
    op->launch.parameters = op->parameters;
}

/* A wait is for the record before it, whichever thread comes to it first. */
enum proact_status cuda_batch_record(struct device_stream *s, struct device_event *e,
                                     struct proact_error *err)
{
    enum proact_status status = PROACT_OK;

    if (e->awaited_in == s->set->batch->number)
        status = cuda_batch_flush(s->set, err);
    if (status)
        return status;
    e->recorded_in = s->set->batch->number;
    add(s, BATCH_RECORD)->event = e;
    return PROACT_OK;
}

enum proact_status cuda_batch_wait(struct device_stream *s, struct device_event *e,
                                   struct proact_error *err)
{
    enum proact_status status = PROACT_OK;

    if (e->recorded_in == s->set->batch->number && e->device != s->device)
        status = cuda_batch_flush(s->set, err);
    if (status)
        return status;
    e->awaited_in = e->device == s->device ? e->awaited_in : s->set->batch->number;
    add(s, BATCH_WAIT)->event = e;
    return PROACT_OK;
}
