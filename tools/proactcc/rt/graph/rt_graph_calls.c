/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "base/memory.h"
#include "rt/abi/graph_calls.h"
#include "rt/graph/rt_graph.h"
#include "rt/stream/rt_capture_rules.h"

enum { UPDATED = 0, OTHER_SHAPE = 2, INSTANTIATED = 0 };

enum cuda_error cudaGraphCreate(struct cuda_graph **out, unsigned flags)
{
    struct rt *rt = rt_enter();
    enum cuda_error error = rt_open(rt);

    if (!error && (flags || !out))
        error = cudaErrorInvalidValue;
    if (!error)
        *out = rt_graph_create(rt);
    return rt_leave(rt, error);
}

enum cuda_error cudaGraphDestroy(struct cuda_graph *g)
{
    struct rt *rt = rt_enter();

    if (!graph_is(rt, g))
        return rt_leave(rt, cudaErrorInvalidValue);
    rt_graph_destroy(rt, g);
    return rt_leave(rt, rt->broken);
}

static enum cuda_error copy_of(struct rt *rt, const struct cuda_graph *g,
                               struct cuda_graph *out)
{
    if (!graph_is(rt, g))
        return cudaErrorInvalidValue;
    if (graph_append(out, g))
        return rt->broken;
    graph_clear(out);
    return cudaErrorInvalidValue;
}

enum cuda_error cudaGraphClone(struct cuda_graph **out, struct cuda_graph *g)
{
    struct rt *rt = rt_enter();

    if (!out || !graph_is(rt, g)) /* checked before the copy, which may reuse the address of
                                     a destroyed graph */
        return rt_leave(rt, cudaErrorInvalidValue);
    struct cuda_graph *copy = rt_graph_create(rt);
    enum cuda_error error = copy_of(rt, g, copy);

    if (error)
        rt_graph_destroy(rt, copy);
    else
        *out = copy;
    return rt_leave(rt, error);
}

enum cuda_error cudaGraphInstantiate(struct cuda_graph_exec **out, struct cuda_graph *g,
                                     unsigned long long flags)
{
    struct rt *rt = rt_enter();
    struct cuda_graph copy = {0};
    enum cuda_error error = out ? copy_of(rt, g, &copy) : cudaErrorInvalidValue;

    if (!error) {
        *out = must_calloc(1, sizeof **out);
        (*out)->flags = flags;
        graph_move(&(*out)->graph, &copy);
        handle_add(&rt->handles, *out, RT_GRAPH_EXEC);
    }
    return rt_leave(rt, error);
}

enum cuda_error cudaGraphInstantiateWithFlags(struct cuda_graph_exec **out,
                                              struct cuda_graph *g,
                                              unsigned long long flags)
{
    return cudaGraphInstantiate(out, g, flags);
}

enum cuda_error cudaGraphInstantiateWithParams(struct cuda_graph_exec **out,
                                               struct cuda_graph *g,
                                               struct cuda_graph_instantiate *how)
{
    enum cuda_error error = cudaGraphInstantiate(out, g, how->flags);

    how->failed = NULL;
    how->result = error ? 1 : INSTANTIATED;
    return error;
}

static bool is_like(const struct cuda_graph *a, const struct cuda_graph *b)
{
    for (size_t i = 0; i < a->count && a->count == b->count; i++)
        if (a->ops[i]->run != b->ops[i]->run || a->ops[i]->bytes != b->ops[i]->bytes)
            return false;
    return a->count == b->count;
}

enum cuda_error cudaGraphExecUpdate(struct cuda_graph_exec *exec, struct cuda_graph *g,
                                    struct cuda_graph_update *result)
{
    struct rt *rt = rt_enter();
    struct cuda_graph copy = {0};
    enum cuda_error error =
        graph_is_exec(rt, exec) ? copy_of(rt, g, &copy) : cudaErrorInvalidValue;

    if (error)
        return rt_leave(rt, error);
    bool is_same = is_like(&exec->graph, &copy);

    /* The program names nodes by those of the graph that it instantiated. */
    for (size_t i = 0; i < copy.count && is_same; i++) {
        copy.ops[i]->origin = exec->graph.ops[i]->origin;
        copy.ops[i]->is_off = exec->graph.ops[i]->is_off;
    }
    graph_clear(is_same ? &exec->graph : &copy);
    if (is_same)
        graph_move(&exec->graph, &copy);
    if (result)
        *result = (struct cuda_graph_update){is_same ? UPDATED : OTHER_SHAPE, NULL, NULL};
    return rt_leave(rt, is_same ? cudaSuccess : cudaErrorGraphExecUpdateFailure);
}

enum cuda_error cudaGraphExecDestroy(struct cuda_graph_exec *exec)
{
    struct rt *rt = rt_enter();

    if (!graph_is_exec(rt, exec))
        return rt_leave(rt, cudaErrorInvalidValue);
    handle_drop(&rt->handles, exec);
    if (rt->session)
        proact_loop_destroy(exec->repeat);
    rt_graph_replay_drop(rt, &exec->replay);
    graph_clear(&exec->graph);
    free(exec);
    return rt_leave(rt, rt->broken);
}

enum cuda_error cudaGraphUpload(struct cuda_graph_exec *exec, struct cuda_stream *s)
{
    struct rt *rt = rt_enter();

    if (!graph_is_exec(rt, exec))
        return rt_leave(rt, cudaErrorInvalidValue);
    enum cuda_error error = rt_stream_check(rt, s);

    return rt_leave(rt, error ? error : rt->broken);
}

/* A captured stream receives the graph's calls. */
enum cuda_error cudaGraphLaunch(struct cuda_graph_exec *exec, struct cuda_stream *s)
{
    struct rt *rt = rt_enter();
    struct rt_stream *found = rt_stream_find(rt, s);

    enum cuda_error error = rt_stream_check(rt, s);

    if (!error && graph_is_exec(rt, exec))
        error = rt_capture_check_work(rt, s);
    if (error || !graph_is_exec(rt, exec))
        return rt_leave(rt, error ? error : cudaErrorInvalidValue);
    if (!found || !found->capture)
        return rt_leave(rt, rt_graph_launch(rt, exec, s));
    graph_append(found->capture, &exec->graph);
    return rt_leave(rt, rt->broken);
}
