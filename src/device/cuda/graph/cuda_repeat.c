/* SPDX-License-Identifier: Apache-2.0 */
#include "device/cuda/graph/cuda_repeat.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { MOST = 4096 }; /* operations; further ones are queued directly */

/* Requires that the stream does not have to wait for a graph first. */
bool cuda_repeats(const struct device_stream *s)
{
    const struct device_repeat *r = s->set->repeat;

    return r && !s->is_behind && (!r->now.count || s == r->stream) && r->now.count < MOST;
}

static struct repeat_op *add(struct device_stream *s, enum repeat_kind kind)
{
    struct device_repeat *r = s->set->repeat;
    struct repeat_list *l = &r->now;
    const size_t before = l->capacity;

    l->op = must_grow(l->op, l->count, &l->capacity, sizeof *l->op);
    if (l->capacity > before)
        memset(l->op + before, 0, (l->capacity - before) * sizeof *l->op);
    r->stream = s;
    s->is_busy = s->is_ahead = true;
    l->op[l->count].kind = kind;
    return &l->op[l->count++];
}

void cuda_repeat_launch(struct device_stream *s, struct device_function *f,
                        const struct device_launch *launch)
{
    struct repeat_op *op = add(s, REPEAT_LAUNCH);
    const size_t bytes = launch->parameter_bytes;

    op->function = f;
    op->launch = *launch;
    if (op->room < bytes) {
        free(op->parameters);
        op->parameters = must_calloc(1, bytes);
        op->room = bytes;
    }
    if (bytes)
        memcpy(op->parameters, launch->parameters, bytes);
    op->launch.parameters = op->parameters;
}

void cuda_repeat_copy(struct device_stream *s, const struct device_rows *rows)
{
    add(s, REPEAT_COPY)->rows = *rows;
}

void cuda_repeat_fill(struct device_stream *s, device_addr to, unsigned char value,
                      size_t bytes)
{
    struct repeat_op *op = add(s, REPEAT_FILL);

    op->to = to;
    op->value = value;
    op->bytes = bytes;
}

/* Performs an operation. In a graph, a kernel with its own wait may start before its
   predecessor ends. */
static cu_result perform(struct device_stream *s, const struct repeat_op *op, bool captures)
{
    cu_result result;

    if (op->kind == REPEAT_LAUNCH) {
        result = cuda_launch_now(s, op->function, &op->launch);
        s->is_behind_kernel = captures && op->function->waits;
        return result;
    }
    s->is_behind_kernel = false;
    if (op->kind == REPEAT_COPY)
        return cuda_copy_now(s, &op->rows);
    return s->set->driver.fill(op->to, op->value, op->bytes, s->stream);
}

cu_result cuda_repeat_perform(struct device_repeat *r, bool captures,
                              const struct repeat_op **failed)
{
    cu_result result = 0;

    for (size_t i = 0; i < r->now.count && !result; i++) {
        *failed = &r->now.op[i];
        result = perform(r->stream, *failed, captures);
        if (captures && !result)
            cuda_repeat_note_node(r, i);
    }
    r->stream->is_behind_kernel = false;
    return result;
}

enum proact_status cuda_repeat_result(const struct device_repeat *r,
                                      const struct repeat_op *failed, cu_result result,
                                      struct proact_error *err)
{
    static const char *const calls[] = {
        [REPEAT_COPY] = "cuMemcpyAsync", [REPEAT_FILL] = "cuMemsetD8Async"};

    if (failed->kind == REPEAT_LAUNCH)
        return cuda_launch_result(r->stream, failed->function, &failed->launch, result,
                                  err);
    return cuda_result(r->set, r->stream->device, result, calls[failed->kind], err);
}

enum proact_status cuda_repeat_flush(struct device_set *set, struct proact_error *err)
{
    struct device_repeat *r = set->repeat;
    const struct repeat_op *failed = NULL;

    if (!r || !r->now.count)
        return PROACT_OK;
    set->repeat = NULL;
    r->is_given_up = true;
    const unsigned device = r->stream->device;
    const cu_result entered = cuda_context_push(&set->driver, set->devices[device].context);
    const cu_result result = entered ? 0 : cuda_repeat_perform(r, false, &failed);

    cuda_context_pop(&set->driver);
    if (entered)
        return cuda_result(set, device, entered, "cuCtxPushCurrent", err);
    return cuda_repeat_result(r, failed, result, err);
}
