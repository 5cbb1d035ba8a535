/* SPDX-License-Identifier: Apache-2.0 */
/* Batches. The operations of a launch on several devices are deferred and then queued by
   one thread per device (cuda_workers.h). Any other driver call first queues the deferred
   operations, in cuda_enter(). */
#include "device/cuda/cuda_batch.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"
#include "device/cuda/cuda_workers.h"
#include "device/cuda/graph/cuda_repeat.h"

enum batch_kind {
    BATCH_LAUNCH,
    BATCH_RECORD,
    BATCH_WAIT,
    BATCH_COPY,
    BATCH_FILL,
    BATCH_WRITE_VALUE,
    BATCH_WAIT_VALUE
};

/* Operations per device before the threads start; words per call. */
enum { MOST = 256, WORDS_MOST = 32 };

struct batch_op {
    enum batch_kind kind;
    struct device_stream *stream;
    union {
        cu_event event;
        struct {
            struct device_function *function;
            struct device_launch launch;
        };
        struct device_rows rows;
        struct {
            device_addr to;
            size_t bytes;
            uint32_t value;
        };
        struct cuda_wait wait;
    };
    void *parameters; /* owned, `room` bytes; reused by the next batch */
    size_t room;
};

struct batch_list {
    struct batch_op *op;
    size_t count, capacity;
    size_t performed; /* the operation at this index failed if `result` is an error */
    bool are_words;   /* the failed call contains several word operations */
    bool is_entered;  /* the device's context was entered */
    cu_result result;
};

struct cuda_batch {
    uint64_t number; /* of the batch; events record the batches in which they occur */
    unsigned busy;   /* devices with operations */
    unsigned device[TOPOLOGY_DEVICES_MAX];
    struct batch_list list[TOPOLOGY_DEVICES_MAX];
};

/* Number of helpers: as requested, or one per remaining processor. */
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
    set->workers = workers_create(helpers);
    set->batch->number = 1;
}

void cuda_batch_close(struct device_set *set)
{
    struct cuda_batch *b = set->batch;

    if (!b)
        return;
    workers_destroy(set->workers);
    set->workers = NULL;
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
    set->is_batching = set->batch && !set->nvtx.push && !set->is_taping && !set->repeat;
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
        return v->event_record(op->event, stream);
    case BATCH_WAIT:
        return v->stream_wait_event(stream, op->event, 0);
    case BATCH_COPY:
        return cuda_copy_now(op->stream, &op->rows);
    case BATCH_FILL:
        return v->fill(op->to, (unsigned char)op->value, op->bytes, stream);
    case BATCH_WRITE_VALUE:
        return v->stream_write_value(stream, op->to, op->value, 0);
    case BATCH_WAIT_VALUE:
        return v->stream_wait_value(stream, op->wait.word, op->wait.value,
                                    CU_WAIT_AT_LEAST);
    }
    return CU_INVALID_VALUE;
}

static union cu_word_op word_of(const struct batch_op *op)
{
    const bool waits = op->kind == BATCH_WAIT_VALUE;

    return (union cu_word_op){.at = {.what = waits ? CU_WORD_WAIT : CU_WORD_WRITE,
                                     .word = waits ? op->wait.word : op->to,
                                     .value = waits ? op->wait.value : op->value,
                                     .flags = waits ? CU_WAIT_AT_LEAST : 0}};
}

/* Number of consecutive word operations from index `at` on. */
static size_t words_from(const struct batch_list *l, size_t at, union cu_word_op *words)
{
    size_t n = 0;

    while (n < WORDS_MOST && at + n < l->count && l->op[at + n].kind >= BATCH_WRITE_VALUE &&
           l->op[at + n].stream == l->op[at].stream) {
        words[n] = word_of(&l->op[at + n]);
        n++;
    }
    return n;
}

/* Performs the next operation of the list, or several word operations in one call. */
static cu_result perform_next(struct batch_list *l, size_t *done)
{
    const struct batch_op *op = &l->op[l->performed];
    const struct driver *v = &op->stream->set->driver;
    union cu_word_op words[WORDS_MOST];
    size_t n = v->stream_words ? words_from(l, l->performed, words) : 0;

    l->are_words = n > 1;
    *done = n > 1 ? n : 1;
    return n > 1 ? v->stream_words(op->stream->stream, (unsigned)n, words, 0)
                 : perform_one(op);
}

/* Performs all operations of one device on any thread; accesses no state of other
   devices. */
static void perform(void *context, unsigned part)
{
    struct device_set *set = context;
    unsigned device = set->batch->device[part];
    struct batch_list *l = &set->batch->list[device];
    size_t done = 0;

    l->result = cuda_context_push(&set->driver, set->devices[device].context);
    l->is_entered = !l->result;
    for (l->performed = 0; l->is_entered && l->performed < l->count; l->performed += done)
        if ((l->result = perform_next(l, &done)))
            break;
    cuda_context_pop(&set->driver);
}

static const char *call_of(const struct batch_op *op)
{
    static const char *const calls[] = {
        [BATCH_RECORD] = "cuEventRecord",
        [BATCH_WAIT] = "cuStreamWaitEvent",
        [BATCH_COPY] = "cuMemcpyAsync",
        [BATCH_FILL] = "cuMemsetD8Async",
        [BATCH_WRITE_VALUE] = "cuStreamWriteValue32",
        [BATCH_WAIT_VALUE] = "cuStreamWaitValue32",
    };

    return op->kind == BATCH_COPY && op->rows.count > 1 ? "cuMemcpy2DAsync"
                                                        : calls[op->kind];
}

static enum proact_status cuda_batch_result(struct device_set *set, unsigned device,
                                            struct proact_error *err)
{
    const struct batch_list *l = &set->batch->list[device];

    if (!l->is_entered)
        return cuda_result(set, device, l->result, "cuCtxPushCurrent", err);
    const struct batch_op *op = &l->op[l->performed];

    if (op->kind == BATCH_LAUNCH)
        return cuda_launch_result(op->stream, op->function, &op->launch, l->result, err);
    return cuda_result(set, device, l->result,
                       l->are_words ? "cuStreamBatchMemOp" : call_of(op), err);
}

/* Adds the queued waits to the set and returns the events of the others. */
static void settle_waits(struct device_set *set, unsigned device)
{
    const struct batch_list *l = &set->batch->list[device];

    for (size_t i = 0; i < l->count; i++) {
        const struct cuda_wait *wait = &l->op[i].wait;

        if (l->op[i].kind != BATCH_WAIT_VALUE)
            continue;
        if (i < l->performed)
            cuda_wait_add(wait);
        else if (wait->before)
            cuda_mark_back(set, device, false, wait->before);
    }
}

enum proact_status cuda_batch_flush(struct device_set *set, struct proact_error *err)
{
    struct cuda_batch *b = set->batch;
    enum proact_status status = cuda_repeat_flush(set, err);

    if (status || !b || !b->busy)
        return status;
    unsigned busy = b->busy;

    b->busy = 0;
    b->number++;
    for (unsigned i = 0; i < busy; i++)
        b->list[b->device[i]].performed = 0;
    if (set->broken)
        status = fail(err, set->broken, "%s", set->sentence);
    else
        workers_run(set->workers, busy, perform, set);
    for (unsigned i = 0; i < busy; i++) {
        struct batch_list *l = &b->list[b->device[i]];

        if (!status && l->result)
            status = cuda_batch_result(set, b->device[i], err);
        set->spans_are_lost |= l->result != 0;
        settle_waits(set, b->device[i]);
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

/* Defers a record. A wait applies to the record before it, whichever thread is first. */
enum proact_status cuda_batch_record(struct device_stream *s, struct device_event *e,
                                     struct proact_error *err)
{
    enum proact_status status = PROACT_OK;

    if (e->awaited_in == s->set->batch->number)
        status = cuda_batch_flush(s->set, err);
    if (status)
        return status;
    e->recorded_in = s->set->batch->number;
    add(s, BATCH_RECORD)->event = e->event;
    return PROACT_OK;
}

void cuda_batch_mark(struct device_stream *s, cu_event mark)
{
    add(s, BATCH_RECORD)->event = mark;
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
    add(s, BATCH_WAIT)->event = e->event;
    return PROACT_OK;
}

/* Queues the operations when a list is full. */
static enum proact_status make_room(const struct device_stream *s, struct proact_error *err)
{
    const bool is_full = s->set->batch->list[s->device].count >= MOST;

    return is_full ? cuda_batch_flush(s->set, err) : PROACT_OK;
}

enum proact_status cuda_batch_copy(struct device_stream *s, const struct device_rows *rows,
                                   struct proact_error *err)
{
    enum proact_status status = make_room(s, err);

    if (!status)
        add(s, BATCH_COPY)->rows = *rows;
    return status;
}

static enum proact_status add_word(struct device_stream *s, enum batch_kind kind,
                                   device_addr to, uint32_t value, size_t bytes,
                                   struct proact_error *err)
{
    enum proact_status status = make_room(s, err);

    if (status)
        return status;
    struct batch_op *op = add(s, kind);

    op->to = to;
    op->value = value;
    op->bytes = bytes;
    return PROACT_OK;
}

enum proact_status cuda_batch_fill(struct device_stream *s, device_addr to,
                                   unsigned char value, size_t bytes,
                                   struct proact_error *err)
{
    return add_word(s, BATCH_FILL, to, value, bytes, err);
}

enum proact_status cuda_batch_write_value(struct device_stream *s, device_addr word,
                                          uint32_t value, struct proact_error *err)
{
    return add_word(s, BATCH_WRITE_VALUE, word, value, sizeof value, err);
}

enum proact_status cuda_batch_wait_value(const struct cuda_wait *wait,
                                         struct proact_error *err)
{
    struct device_stream *s = wait->stream;
    enum proact_status status = make_room(s, err);

    if (status && wait->before)
        cuda_mark_back(s->set, s->device, false, wait->before);
    if (status)
        return status;
    if (wait->before)
        cuda_batch_mark(s, wait->before);
    add(s, BATCH_WAIT_VALUE)->wait = *wait;
    return PROACT_OK;
}
