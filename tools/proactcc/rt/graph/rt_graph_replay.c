/* SPDX-License-Identifier: Apache-2.0 */
/* Launches of graphs. Recorded sequences are replayed; all other operations are called. A
   recording is valid while its operations are equal byte for byte and the program's
   allocations are unchanged, because a pointer may otherwise refer to another array. The
   session checks everything else (proact_replay()). */
#include "rt/graph/rt_graph_replay.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "rt/abi/graph_calls.h"
#include "rt/graph/rt_graph.h"

enum {
    CALLED_AT_FIRST = 2, /* launches; doubled after each unsuccessful attempt */
    CALLED_MOST = 1 << 20,
    WORTH_IT = 16,  /* replays that amortize a recording */
    SHORTEST = 3,   /* operations; calls are as fast for fewer */
    EARLY_MOST = 32 /* attempts that do not count, because calls settle the plans */
};

/* The operations as bytes, either stored or compared with the stored bytes. */
struct look {
    struct graph_replay *r;
    size_t at;
    bool keeps, differs;
};

static void replay_hash(struct look *look, const void *bytes, size_t count)
{
    struct graph_replay *r = look->r;

    if (look->keeps) {
        r->noted = must_grow(r->noted, look->at + count, &r->noted_capacity, 1);
        r->noted_bytes = look->at + count;
    } else if (look->differs || count > r->noted_bytes - look->at) {
        look->differs = true;
        return;
    }
    if (look->keeps && count)
        memcpy(r->noted + look->at, bytes, count);
    else if (count)
        look->differs = memcmp(r->noted + look->at, bytes, count) != 0;
    look->at += count;
}

static const struct cuda_graph *child_of(const struct graph_op *op)
{
    struct cuda_graph *child = NULL;

    if (op->run == rt_run_child)
        memcpy(&child, op->data, sizeof(struct cuda_graph *));
    return child;
}

static void replay_hash_graph(struct look *look, const struct cuda_graph *g)
{
    for (size_t i = 0; i < g->count; i++) {
        const struct graph_op *op = g->ops[i];

        replay_hash(look, &op->run, sizeof(graph_run *));
        replay_hash(look, &op->is_off, sizeof op->is_off);
        replay_hash(look, &op->bytes, sizeof op->bytes);
        replay_hash(look, op->data, op->bytes);
        if (child_of(op))
            replay_hash_graph(look, child_of(op));
    }
}

static bool is_as_it_was(struct rt *rt, struct cuda_graph_exec *exec)
{
    struct look look = {.r = &exec->replay};

    replay_hash_graph(&look, &exec->graph);
    return !look.differs && look.at == exec->replay.noted_bytes && exec->replay.wait &&
           exec->replay.ranges == rt->ranges.changes;
}

static void forget(struct rt *rt, struct graph_replay *r)
{
    for (size_t i = 0; i < r->count; i++) {
        if (rt->session) /* otherwise they were destroyed with the session */
            proact_recording_destroy(r->stretch[i].recording);
        free(r->stretch[i].kernel);
    }
    r->count = 0;
}

void rt_graph_replay_drop(struct rt *rt, struct graph_replay *r)
{
    forget(rt, r);
    free(r->stretch);
    free(r->noted);
    *r = (struct graph_replay){0};
}

static void wait_longer(struct graph_replay *r)
{
    r->calls = 0;
    r->wait = r->wait < CALLED_MOST ? 2 * r->wait : r->wait;
}

static bool is_any_recorded(const struct graph_replay *r)
{
    for (size_t i = 0; i < r->count; i++)
        if (r->stretch[i].recording)
            return true;
    return false;
}

/* Backoff: a program that keeps changing the graph has its operations called. */
static void graph_replay_restart(struct rt *rt, struct cuda_graph_exec *exec)
{
    struct graph_replay *r = &exec->replay;
    struct look look = {.r = r, .keeps = true};

    if (!r->wait)
        r->wait = CALLED_AT_FIRST;
    else if (is_any_recorded(r) && r->replays < WORTH_IT)
        wait_longer(r);
    r->calls = r->replays = r->early = 0;
    forget(rt, r);
    r->noted_bytes = 0;
    replay_hash_graph(&look, &exec->graph);
    r->ranges = rt->ranges.changes;
}

static bool stays_on_device(struct rt *rt, const struct graph_op *op)
{
    if (op->run == rt_run_copy) {
        const struct rt_kept_copy *c = op->data;

        return rt_is_on_device(rt, c->to) && rt_is_on_device(rt, c->from);
    }
    if (op->run == rt_run_rows) {
        const struct rt_kept_rows *c = op->data;

        return rt_is_on_device(rt, c->rows.to) && rt_is_on_device(rt, c->rows.from);
    }
    if (op->run == rt_run_copy_3d) {
        const struct cuda_copy_3d *c = op->data;

        return !c->to_array && !c->from_array && rt_is_on_device(rt, c->to.pointer) &&
               rt_is_on_device(rt, c->from.pointer);
    }
    if (op->run == rt_run_fill)
        return rt_is_on_device(rt, ((const struct cuda_fill_node *)op->data)->to);
    return op->run == rt_run_fill_3d &&
           rt_is_on_device(rt, ((const struct rt_kept_fill *)op->data)->to.pointer);
}

/* Other obstacles are detected during the recording. */
static bool may_be_recorded(struct rt *rt, const struct graph_op *op)
{
    const struct cuda_graph *child = child_of(op);
    bool may = true;

    if (!child)
        return op->is_off || op->run == rt_run_launch || op->run == rt_run_nothing ||
               stays_on_device(rt, op);
    for (size_t i = 0; i < child->count && may; i++)
        may = may_be_recorded(rt, child->ops[i]);
    return may;
}

static void find_stretches(struct rt *rt, struct cuda_graph_exec *exec)
{
    const struct cuda_graph *g = &exec->graph;
    struct graph_replay *r = &exec->replay;

    forget(rt, r);
    for (size_t i = 0, first; i < g->count; i++) {
        for (first = i; i < g->count && may_be_recorded(rt, g->ops[i]); i++)
            ;
        if (i - first < SHORTEST)
            continue;
        r->stretch = must_grow(r->stretch, r->count, &r->capacity, sizeof *r->stretch);
        r->stretch[r->count++] = (struct graph_stretch){.first = first, .end = i};
    }
}

static enum cuda_error call(struct rt *rt, const struct cuda_graph *g, size_t first,
                            size_t end)
{
    enum cuda_error error = rt->broken;

    for (size_t i = first; i < end && !error; i++)
        if (!g->ops[i]->is_off)
            error = g->ops[i]->run(rt, g->ops[i]->data);
    return error;
}

/* On one GPU the queued calls form a CUDA graph (proact_loop) that runs concurrently with
   other streams, so a recording has no advantage. */
static bool is_worth_it(const struct rt *rt, const struct proact_recording *r)
{
    return rt->is_emulated || proact_recording_is_split(r);
}

/* A recording executes nothing and changes no statistics. A sequence that cannot be
   recorded is called. */
static enum cuda_error record(struct rt *rt, const struct cuda_graph *g,
                              struct graph_stretch *s)
{
    struct proact_recording *made = NULL;
    const uint64_t copied = rt->moved.on_device;
    enum cuda_error error = rt_wait(rt); /* so that an earlier error is not attributed to
                                            the recording */

    if (error || proact_record_begin(rt->session, NULL))
        return error;
    s->kernel_count = 0;
    rt->recording = s;
    error = call(rt, g, s->first, s->end);
    rt->recording = NULL;
    s->copied = rt->moved.on_device - copied;
    rt->moved.on_device = copied;
    if (!proact_record_end(rt->session, &made, NULL) && !error && is_worth_it(rt, made))
        s->recording = made;
    else
        proact_recording_destroy(made);
    return rt->broken;
}

/* Returns false if the recording is no longer valid. */
static bool replay(struct rt *rt, struct graph_stretch *s, enum cuda_error *error)
{
    struct proact_error err = {""};
    const enum proact_status status = proact_replay(s->recording, &err);

    if (status == PROACT_EINVAL) {
        proact_recording_destroy(s->recording);
        s->recording = NULL;
        return false;
    }
    if ((*error = rt_error(rt, status, &err)))
        return true;
    for (size_t i = 0; i < s->kernel_count; i++) {
        s->kernel[i].kernel->launches++;
        s->kernel[i].kernel->split_launches += s->kernel[i].is_split;
        rt_report_launched(rt, s->kernel[i].kernel, s->kernel[i].device);
    }
    rt->moved.on_device += s->copied;
    rt->queued += s->end - s->first;
    *error = rt_queued(rt, 0);
    return true;
}

static bool is_time_to_try(const struct rt *rt, const struct graph_replay *r)
{
    if (rt->interop.untracked) /* such a library may change memory at any time */
        return false;
    if (!rt->session || rt->broken || r->calls < r->wait ||
        !proact_try_quiesce(rt->session, false))
        return false;
    if (proact_open_device_count(rt->session) > 1)
        return true; /* with one open device nothing is split */
    return rt->is_emulated && proact_device_count(rt->session) == 1;
}

/* Calls in the stream. A repeated sequence is queued as one operation where possible. */
static enum cuda_error call_all(struct rt *rt, struct cuda_graph_exec *exec,
                                const struct cuda_stream *stream)
{
    struct proact_error err = {""};
    enum cuda_error error = rt_open(rt), ended;

    if (!error && !exec->repeat)
        error = rt_error(rt, proact_loop_create(rt->session, &exec->repeat, &err), &err);
    if (!error)
        error = rt_stream_enter(rt, stream);
    if (!error)
        error = rt_error(rt, proact_loop_begin(exec->repeat, &err), &err);
    if (!error) {
        error = call(rt, &exec->graph, 0, exec->graph.count);
        ended = rt_error(rt, proact_loop_end(exec->repeat, &err), &err);
        error = error ? error : ended;
    }
    rt_stream_leave(rt);
    return error;
}

/* In no stream: a recording follows the work of all streams. */
static enum cuda_error replay_all(struct rt *rt, struct cuda_graph_exec *exec, bool tries,
                                  size_t *replayed)
{
    const struct cuda_graph *g = &exec->graph;
    enum cuda_error error = rt->broken;
    size_t at = 0;

    for (size_t i = 0; i < exec->replay.count && !error; i++) {
        struct graph_stretch *s = &exec->replay.stretch[i];

        error = call(rt, g, at, s->first);
        at = s->first;
        if (!error && tries && !s->recording)
            error = record(rt, g, s);
        if (!error && s->recording && replay(rt, s, &error)) {
            at = s->end;
            (*replayed)++;
        }
    }
    return error ? error : call(rt, g, at, g->count);
}

enum cuda_error rt_graph_launch(struct rt *rt, struct cuda_graph_exec *exec,
                                const struct cuda_stream *stream)
{
    struct graph_replay *r = &exec->replay;
    size_t replayed = 0;

    if (!is_as_it_was(rt, exec))
        graph_replay_restart(rt, exec);
    const bool tries = is_time_to_try(rt, r);

    if (tries && !is_any_recorded(r))
        find_stretches(rt, exec);
    enum cuda_error error = tries || is_any_recorded(r)
                                ? replay_all(rt, exec, tries, &replayed)
                                : call_all(rt, exec, stream);

    rt->graphs.launches++;
    rt->graphs.replayed += replayed > 0;
    r->replays += replayed > 0;
    const bool is_early = tries && rt->session && proact_record_is_early(rt->session) &&
                          r->early < EARLY_MOST;

    if (is_early)
        r->early++;
    else if (tries && (replayed < r->count || !r->count))
        wait_longer(r);
    else
        r->calls += replayed < r->count || !r->count;
    return error;
}
