/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs that a program builds node by node. */
#include <stdlib.h>
#include <string.h>

#include "rt/abi/cuda_calls.h"
#include "rt/abi/graph_calls.h"
#include "rt/graph/rt_graph.h"

/* cudaErrorInvalidMemcpyDirection for a copy of a direction that CUDA does not have. */
static enum cuda_error graph_node_check(graph_run *run, const void *data)
{
    enum cuda_copy_kind kind = CUDA_COPY_DEFAULT;

    if (run == rt_run_symbol_write || run == rt_run_symbol_read)
        return rt_symbol_check(data);
    if (run == rt_run_copy)
        kind = ((const struct rt_kept_copy *)data)->kind;
    else if (run == rt_run_copy_3d)
        kind = ((const struct cuda_copy_3d *)data)->kind;
    return kind > CUDA_COPY_DEFAULT ? cudaErrorInvalidMemcpyDirection : cudaSuccess;
}

static enum cuda_error graph_node_change(struct graph_op *op, graph_run *run,
                                         const void *data, size_t bytes)
{
    const enum cuda_error error = op ? graph_node_check(run, data) : cudaErrorInvalidValue;

    return error ? error : graph_change(op, run, data, bytes);
}

enum cuda_error graph_node_add(struct rt *rt, const struct graph_place *at, graph_run *run,
                               const void *data, size_t bytes)
{
    if (!graph_is(rt, at->graph) || !at->out)
        return cudaErrorInvalidValue;
    for (size_t i = 0; i < at->count; i++)
        if (!graph_is_node(rt, at->after[i]) || at->after[i]->graph != at->graph)
            return cudaErrorInvalidValue;
    const enum cuda_error error = graph_node_check(run, data);

    if (error)
        return error;
    struct graph_op *op = graph_add(at->graph, run, data, bytes);

    for (size_t i = 0; i < at->count; i++)
        graph_after(op, at->after[i]);
    *at->out = op;
    return rt->broken;
}

/* A launch with the attributes of `before`, which it replaces; NULL: default attributes. */
static enum cuda_error keep_kernel(struct rt *rt, const struct cuda_kernel_node *node,
                                   const struct proact_grid *before,
                                   struct rt_kept_launch **out, size_t *bytes)
{
    struct proact_grid grid = before ? *before : (struct proact_grid){.ctas = {0}};

    grid = (struct proact_grid){
        .ctas = {node->grid.x, node->grid.y, node->grid.z},
        .threads = {node->block.x, node->block.y, node->block.z},
        .dynamic_shared_bytes = node->shared_bytes,
        .is_cooperative = grid.is_cooperative,
        .cluster_ctas = {grid.cluster_ctas[0], grid.cluster_ctas[1], grid.cluster_ctas[2]}};
    struct cuda_kernel *k = rt_kernel_find(rt, node->stub);

    if (!k)
        return rt_kernel_unknown(node->stub);
    return node->args ? rt_launch_keep(rt, k, &grid, node->args, out, bytes)
                      : cudaErrorInvalidValue;
}

enum cuda_error cudaGraphAddKernelNode(struct graph_op **out, struct cuda_graph *g,
                                       struct graph_op *const *after, size_t count,
                                       const struct cuda_kernel_node *node)
{
    struct rt *rt = rt_enter();
    const struct graph_place at = {out, g, after, count};
    struct rt_kept_launch *kept = NULL;
    size_t bytes = 0;
    enum cuda_error error = keep_kernel(rt, node, NULL, &kept, &bytes);

    if (!error)
        error = graph_node_add(rt, &at, rt_run_launch, kept, bytes);
    free(kept);
    return rt_leave(rt, error);
}

static enum cuda_error change_kernel(struct rt *rt, struct graph_op *op,
                                     const struct cuda_kernel_node *node)
{
    struct rt_kept_launch *kept = NULL;
    struct cuda_kernel *k;
    size_t bytes = 0;
    enum cuda_error error =
        keep_kernel(rt, node, op ? rt_launch_grid(op, &k) : NULL, &kept, &bytes);

    if (!error)
        error = graph_change(op, rt_run_launch, kept, bytes);
    free(kept);
    return error;
}

enum cuda_error cudaGraphKernelNodeSetParams(struct graph_op *op,
                                             const struct cuda_kernel_node *node)
{
    struct rt *rt = rt_enter();

    return rt_leave(rt, change_kernel(rt, graph_node_of(rt, op), node));
}

enum cuda_error cudaGraphExecKernelNodeSetParams(struct cuda_graph_exec *exec,
                                                 struct graph_op *op,
                                                 const struct cuda_kernel_node *node)
{
    struct rt *rt = rt_enter();

    return rt_leave(rt, change_kernel(rt, graph_copy_in(rt, exec, op), node));
}

enum cuda_error cudaGraphAddMemcpyNode(struct graph_op **out, struct cuda_graph *g,
                                       struct graph_op *const *after, size_t count,
                                       const struct cuda_copy_3d *node)
{
    struct rt *rt = rt_enter();
    const struct graph_place at = {out, g, after, count};

    return rt_leave(rt, graph_node_add(rt, &at, rt_run_copy_3d, node, sizeof *node));
}

enum cuda_error cudaGraphAddMemcpyNode1D(struct graph_op **out, struct cuda_graph *g,
                                         struct graph_op *const *after, size_t count,
                                         void *to, const void *from, size_t bytes,
                                         enum cuda_copy_kind kind)
{
    struct rt *rt = rt_enter();
    const struct graph_place at = {out, g, after, count};
    const struct rt_kept_copy c = {to, from, bytes, kind};

    return rt_leave(rt, graph_node_add(rt, &at, rt_run_copy, &c, sizeof c));
}

enum cuda_error cudaGraphMemcpyNodeSetParams1D(struct graph_op *op, void *to,
                                               const void *from, size_t bytes,
                                               enum cuda_copy_kind kind)
{
    struct rt *rt = rt_enter();
    const struct rt_kept_copy c = {to, from, bytes, kind};

    return rt_leave(rt,
                    graph_node_change(graph_node_of(rt, op), rt_run_copy, &c, sizeof c));
}

enum cuda_error cudaGraphExecMemcpyNodeSetParams1D(struct cuda_graph_exec *exec,
                                                   struct graph_op *op, void *to,
                                                   const void *from, size_t bytes,
                                                   enum cuda_copy_kind kind)
{
    struct rt *rt = rt_enter();
    const struct rt_kept_copy c = {to, from, bytes, kind};

    return rt_leave(
        rt, graph_node_change(graph_copy_in(rt, exec, op), rt_run_copy, &c, sizeof c));
}

enum cuda_error cudaGraphMemcpyNodeSetParams(struct graph_op *op,
                                             const struct cuda_copy_3d *node)
{
    struct rt *rt = rt_enter();

    return rt_leave(
        rt, graph_node_change(graph_node_of(rt, op), rt_run_copy_3d, node, sizeof *node));
}

enum cuda_error cudaGraphExecMemcpyNodeSetParams(struct cuda_graph_exec *exec,
                                                 struct graph_op *op,
                                                 const struct cuda_copy_3d *node)
{
    struct rt *rt = rt_enter();

    return rt_leave(rt, graph_node_change(graph_copy_in(rt, exec, op), rt_run_copy_3d, node,
                                          sizeof *node));
}

enum cuda_error cudaGraphAddMemsetNode(struct graph_op **out, struct cuda_graph *g,
                                       struct graph_op *const *after, size_t count,
                                       const struct cuda_fill_node *node)
{
    struct rt *rt = rt_enter();
    const struct graph_place at = {out, g, after, count};

    if (node->element_bytes != 1 && node->element_bytes != 2 && node->element_bytes != 4)
        return rt_leave(rt, cudaErrorInvalidValue);
    return rt_leave(
        rt,
        graph_node_add(rt, &at, rt_is_fill_of_bytes(node) ? rt_run_fill : rt_run_fill_wide,
                       node, sizeof *node));
}

static enum cuda_error change_fill(struct graph_op *op, const struct cuda_fill_node *node)
{
    if (node->element_bytes != 1 && node->element_bytes != 2 && node->element_bytes != 4)
        return cudaErrorInvalidValue;
    return graph_change(op, rt_is_fill_of_bytes(node) ? rt_run_fill : rt_run_fill_wide,
                        node, sizeof *node);
}

enum cuda_error cudaGraphMemsetNodeSetParams(struct graph_op *op,
                                             const struct cuda_fill_node *node)
{
    struct rt *rt = rt_enter();

    return rt_leave(rt, change_fill(graph_node_of(rt, op), node));
}

enum cuda_error cudaGraphExecMemsetNodeSetParams(struct cuda_graph_exec *exec,
                                                 struct graph_op *op,
                                                 const struct cuda_fill_node *node)
{
    struct rt *rt = rt_enter();

    return rt_leave(rt, change_fill(graph_copy_in(rt, exec, op), node));
}

enum cuda_error cudaGraphAddHostNode(struct graph_op **out, struct cuda_graph *g,
                                     struct graph_op *const *after, size_t count,
                                     const struct cuda_host_node *node)
{
    struct rt *rt = rt_enter();
    const struct graph_place at = {out, g, after, count};

    return rt_leave(rt, graph_node_add(rt, &at, rt_run_host, node, sizeof *node));
}

enum cuda_error cudaGraphHostNodeSetParams(struct graph_op *op,
                                           const struct cuda_host_node *node)
{
    struct rt *rt = rt_enter();

    return rt_leave(rt,
                    graph_change(graph_node_of(rt, op), rt_run_host, node, sizeof *node));
}

enum cuda_error cudaGraphExecHostNodeSetParams(struct cuda_graph_exec *exec,
                                               struct graph_op *op,
                                               const struct cuda_host_node *node)
{
    struct rt *rt = rt_enter();

    return rt_leave(
        rt, graph_change(graph_copy_in(rt, exec, op), rt_run_host, node, sizeof *node));
}

enum cuda_error cudaGraphAddEmptyNode(struct graph_op **out, struct cuda_graph *g,
                                      struct graph_op *const *after, size_t count)
{
    struct rt *rt = rt_enter();
    const struct graph_place at = {out, g, after, count};

    return rt_leave(rt, graph_node_add(rt, &at, rt_run_nothing, NULL, 0));
}

enum cuda_error cudaGraphAddChildGraphNode(struct graph_op **out, struct cuda_graph *g,
                                           struct graph_op *const *after, size_t count,
                                           struct cuda_graph *child)
{
    struct rt *rt = rt_enter();
    const struct graph_place at = {out, g, after, count};
    struct cuda_graph *copy = NULL;
    enum cuda_error error = cudaGraphClone(&copy, child);

    if (!error)
        error = graph_node_add(rt, &at, rt_run_child, &copy, sizeof(struct cuda_graph *));
    return rt_leave(rt, error);
}
