/* SPDX-License-Identifier: Apache-2.0 */
/* The nodes of a graph and the edges between them. */
#include <string.h>

#include "rt/abi/graph_calls.h"
#include "rt/graph/rt_graph.h"

enum { EDGE_BYTES = 8 }; /* of a cudaGraphEdgeData: zeros mean full completion */

/* Output of a query. `out` NULL requests only the count. Otherwise the array is filled up
   to its capacity, and the remainder is NULL. */
struct answer {
    struct graph_op **from, **to;
    char *edges;
    size_t *count, found;
};

static void give(struct answer *a, struct graph_op *from, struct graph_op *to)
{
    const size_t n = a->found++;

    if ((!a->from && !a->to) || n >= *a->count)
        return;
    if (a->from)
        a->from[n] = from;
    if (a->to)
        a->to[n] = to;
    if (a->edges)
        memset(a->edges + n * EDGE_BYTES, 0, EDGE_BYTES);
}

static void finish(const struct answer *a)
{
    const bool is_count_query = !a->from && !a->to;

    for (size_t n = a->found; !is_count_query && n < *a->count; n++) {
        if (a->from)
            a->from[n] = NULL;
        if (a->to)
            a->to[n] = NULL;
    }
    if (is_count_query || a->found < *a->count)
        *a->count = a->found;
}

enum cuda_error cudaGraphGetNodes(struct cuda_graph *g, struct graph_op **out,
                                  size_t *count)
{
    struct rt *rt = rt_enter();
    struct answer a = {.to = out, .count = count};

    if (!graph_is(rt, g) || !count)
        return rt_leave(rt, cudaErrorInvalidValue);
    for (size_t i = 0; i < g->count; i++)
        give(&a, NULL, g->ops[i]);
    finish(&a);
    return rt_leave(rt, cudaSuccess);
}

enum cuda_error cudaGraphGetRootNodes(struct cuda_graph *g, struct graph_op **out,
                                      size_t *count)
{
    struct rt *rt = rt_enter();
    struct answer a = {.to = out, .count = count};

    if (!graph_is(rt, g) || !count)
        return rt_leave(rt, cudaErrorInvalidValue);
    for (size_t i = 0; i < g->count; i++)
        if (!g->ops[i]->after_count)
            give(&a, NULL, g->ops[i]);
    finish(&a);
    return rt_leave(rt, cudaSuccess);
}

enum cuda_error cudaGraphGetEdges(struct cuda_graph *g, struct graph_op **from,
                                  struct graph_op **to, void *edges, size_t *count)
{
    struct rt *rt = rt_enter();
    struct answer a = {.from = from, .to = to, .edges = edges, .count = count};

    if (!graph_is(rt, g) || !count)
        return rt_leave(rt, cudaErrorInvalidValue);
    for (size_t i = 0; i < g->count; i++)
        for (size_t k = 0; k < g->ops[i]->after_count; k++)
            give(&a, g->ops[i]->after[k], g->ops[i]);
    finish(&a);
    return rt_leave(rt, cudaSuccess);
}

enum cuda_error cudaGraphNodeGetDependencies(struct graph_op *op, struct graph_op **out,
                                             void *edges, size_t *count)
{
    struct rt *rt = rt_enter();
    struct answer a = {.from = out, .edges = edges, .count = count};

    if (!graph_is_node(rt, op) || !count)
        return rt_leave(rt, cudaErrorInvalidValue);
    for (size_t i = 0; i < op->after_count; i++)
        give(&a, op->after[i], op);
    finish(&a);
    return rt_leave(rt, cudaSuccess);
}

static bool is_after(const struct graph_op *op, const struct graph_op *before)
{
    for (size_t i = 0; i < op->after_count; i++)
        if (op->after[i] == before)
            return true;
    return false;
}

enum cuda_error cudaGraphNodeGetDependentNodes(struct graph_op *op, struct graph_op **out,
                                               void *edges, size_t *count)
{
    struct rt *rt = rt_enter();
    struct answer a = {.to = out, .edges = edges, .count = count};

    if (!graph_is_node(rt, op) || !count)
        return rt_leave(rt, cudaErrorInvalidValue);
    for (size_t i = 0; i < op->graph->count; i++)
        if (is_after(op->graph->ops[i], op))
            give(&a, op, op->graph->ops[i]);
    finish(&a);
    return rt_leave(rt, cudaSuccess);
}

/* True if both nodes of each pair are in the graph, and the edge exists exactly if
   `wanted`. */
static bool are_pairs(const struct rt *rt, const struct cuda_graph *g,
                      struct graph_op *const *from, struct graph_op *const *to,
                      size_t count, bool wanted)
{
    for (size_t i = 0; i < count; i++)
        if (!graph_is_node(rt, from[i]) || !graph_is_node(rt, to[i]) ||
            from[i]->graph != g || to[i]->graph != g || from[i] == to[i] ||
            is_after(to[i], from[i]) != wanted)
            return false;
    return true;
}

/* Removes edges that exist, and adds the others. */
static enum cuda_error change_pairs(const struct cuda_graph *g,
                                    struct graph_op *const *from,
                                    struct graph_op *const *to, size_t count, bool are)
{
    struct rt *rt = rt_enter();

    if (!graph_is(rt, g) || !are_pairs(rt, g, from, to, count, are))
        return rt_leave(rt, cudaErrorInvalidValue);
    for (size_t i = 0; i < count; i++)
        if (are)
            graph_forget(to[i], from[i]);
        else
            graph_after(to[i], from[i]);
    return rt_leave(rt, cudaSuccess);
}

enum cuda_error cudaGraphAddDependencies(struct cuda_graph *g, struct graph_op *const *from,
                                         struct graph_op *const *to, const void *edges,
                                         size_t count)
{
    (void)edges;
    return change_pairs(g, from, to, count, false);
}

enum cuda_error cudaGraphRemoveDependencies(struct cuda_graph *g,
                                            struct graph_op *const *from,
                                            struct graph_op *const *to, const void *edges,
                                            size_t count)
{
    (void)edges;
    return change_pairs(g, from, to, count, true);
}

enum cuda_error cudaGraphDestroyNode(struct graph_op *op)
{
    struct rt *rt = rt_enter();

    if (!graph_is_node(rt, op))
        return rt_leave(rt, cudaErrorInvalidValue);
    graph_remove(op);
    return rt_leave(rt, cudaSuccess);
}
