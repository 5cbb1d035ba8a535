/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "base/memory.h"
#include "graph_calls.h"
#include "rt_graph.h"

enum { UPDATED = 0, OTHER_SHAPE = 2, INSTANTIATED = 0 };

enum cuda_error cudaGraphCreate(struct cuda_graph **out, unsigned flags)
{
    struct rt *rt = rt_enter();
    enum cuda_error error = rt_open(rt);

    if (!error && (flags || !out))
        error = cudaErrorInvalidValue;
    if (!error)
        *out = must_calloc(1, sizeof **out);
    return rt_leave(rt, error);
}

enum cuda_error cudaGraphDestroy(struct cuda_graph *g)
{
    struct rt *rt = rt_enter();

    if (!g)
        return rt_leave(rt, cudaErrorInvalidValue);
    graph_clear(g);
    free(g);
    return rt_leave(rt, rt->broken);
}

static enum cuda_error copy_of(struct rt *rt, const struct cuda_graph *g,
                               struct cuda_graph *out)
{
    if (!g)
        return cudaErrorInvalidValue;
    if (graph_append(out, g))
        return rt->broken;
    graph_clear(out);
    return cudaErrorInvalidValue;
}

enum cuda_error cudaGraphClone(struct cuda_graph **out, struct cuda_graph *g)
{
    struct rt *rt = rt_enter();
    struct cuda_graph copy = {0};
    enum cuda_error error = copy_of(rt, g, &copy);

    if (!error) {
        *out = must_calloc(1, sizeof **out);
        **out = copy;
    }
    return rt_leave(rt, error);
}

enum cuda_error cudaGraphInstantiate(struct cuda_graph_exec **out, struct cuda_graph *g,
                                     unsigned long long flags)
{
    struct rt *rt = rt_enter();
    struct cuda_graph copy = {0};
    enum cuda_error error = copy_of(rt, g, &copy);

    (void)flags;
    if (!error) {
        *out = must_calloc(1, sizeof **out);
        (*out)->graph = copy;
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
    enum cuda_error error = copy_of(rt, g, &copy);

    if (error)
        return rt_leave(rt, error);
    bool is_same = is_like(&exec->graph, &copy);

    /* Nodes are known by the graph that was instantiated. */
    for (size_t i = 0; i < copy.count && is_same; i++)
        copy.ops[i]->origin = exec->graph.ops[i]->origin;
    graph_clear(is_same ? &exec->graph : &copy);
    if (is_same)
        exec->graph = copy;
    if (result)
        *result = (struct cuda_graph_update){is_same ? UPDATED : OTHER_SHAPE, NULL, NULL};
    return rt_leave(rt, is_same ? cudaSuccess : cudaErrorGraphExecUpdateFailure);
}

enum cuda_error cudaGraphExecDestroy(struct cuda_graph_exec *exec)
{
    struct rt *rt = rt_enter();

    if (!exec)
        return rt_leave(rt, cudaErrorInvalidValue);
    graph_clear(&exec->graph);
    free(exec);
    return rt_leave(rt, rt->broken);
}

enum cuda_error cudaGraphUpload(struct cuda_graph_exec *exec, struct cuda_stream *s)
{
    struct rt *rt = rt_enter();

    (void)s;
    return rt_leave(rt, exec ? rt->broken : cudaErrorInvalidValue);
}

/* A stream that is captured takes in the graph's calls. */
enum cuda_error cudaGraphLaunch(struct cuda_graph_exec *exec, struct cuda_stream *s)
{
    struct rt *rt = rt_enter();
    struct rt_stream *found = rt_stream_find(rt, s);

    if (!exec)
        return rt_leave(rt, cudaErrorInvalidValue);
    if (!found || !found->capture)
        return rt_leave(rt, graph_run_all(rt, &exec->graph));
    graph_append(found->capture, &exec->graph);
    return rt_leave(rt, rt->broken);
}

/* `out` NULL: only how many. Else as many as there is room for. */
enum cuda_error cudaGraphGetNodes(struct cuda_graph *g, struct graph_op **out,
                                  size_t *count)
{
    struct rt *rt = rt_enter();
    size_t room = out ? *count : 0;

    for (size_t i = 0; i < room; i++)
        out[i] = i < g->count ? g->ops[i] : NULL;
    if (!out || room > g->count)
        *count = g->count;
    return rt_leave(rt, cudaSuccess);
}

enum cuda_error cudaGraphAddDependencies(struct cuda_graph *g, struct graph_op *const *from,
                                         struct graph_op *const *to, const void *edges,
                                         size_t count)
{
    struct rt *rt = rt_enter();

    (void)g, (void)edges;
    for (size_t i = 0; i < count; i++)
        graph_after(to[i], from[i]);
    return rt_leave(rt, cudaSuccess);
}
