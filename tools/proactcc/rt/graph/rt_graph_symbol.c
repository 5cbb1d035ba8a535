/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes that copy to or from a variable. */
#include "rt/abi/graph_calls.h"
#include "rt/graph/rt_graph.h"

/* NOLINTNEXTLINE(readability-function-size): the interface has it so */
enum cuda_error cudaGraphAddMemcpyNodeToSymbol(struct graph_op **out, struct cuda_graph *g,
                                               struct graph_op *const *after, size_t count,
                                               const void *symbol, const void *from,
                                               size_t bytes, size_t first,
                                               enum cuda_copy_kind kind)
{
    struct rt *rt = rt_enter();
    const struct graph_place at = {out, g, after, count};
    const struct rt_kept_symbol_copy c = {symbol, NULL, from, bytes, first, kind};

    return rt_leave(rt, graph_node_add(rt, &at, rt_run_symbol_write, &c, sizeof c));
}

/* NOLINTNEXTLINE(readability-function-size): the interface has it so */
enum cuda_error cudaGraphAddMemcpyNodeFromSymbol(struct graph_op **out,
                                                 struct cuda_graph *g,
                                                 struct graph_op *const *after,
                                                 size_t count, void *to, const void *symbol,
                                                 size_t bytes, size_t first,
                                                 enum cuda_copy_kind kind)
{
    struct rt *rt = rt_enter();
    const struct graph_place at = {out, g, after, count};
    const struct rt_kept_symbol_copy c = {symbol, to, NULL, bytes, first, kind};

    return rt_leave(rt, graph_node_add(rt, &at, rt_run_symbol_read, &c, sizeof c));
}

static enum cuda_error change(struct graph_op *op, graph_run *run,
                              const struct rt_kept_symbol_copy *c)
{
    const enum cuda_error error = op ? rt_symbol_check(c) : cudaErrorInvalidValue;

    return error ? error : graph_change(op, run, c, sizeof *c);
}

enum cuda_error cudaGraphMemcpyNodeSetParamsToSymbol(struct graph_op *op,
                                                     const void *symbol, const void *from,
                                                     size_t bytes, size_t first,
                                                     enum cuda_copy_kind kind)
{
    struct rt *rt = rt_enter();
    const struct rt_kept_symbol_copy c = {symbol, NULL, from, bytes, first, kind};

    return rt_leave(rt, change(graph_node_of(rt, op), rt_run_symbol_write, &c));
}

enum cuda_error cudaGraphMemcpyNodeSetParamsFromSymbol(struct graph_op *op, void *to,
                                                       const void *symbol, size_t bytes,
                                                       size_t first,
                                                       enum cuda_copy_kind kind)
{
    struct rt *rt = rt_enter();
    const struct rt_kept_symbol_copy c = {symbol, to, NULL, bytes, first, kind};

    return rt_leave(rt, change(graph_node_of(rt, op), rt_run_symbol_read, &c));
}

enum cuda_error cudaGraphExecMemcpyNodeSetParamsToSymbol(
    struct cuda_graph_exec *exec, struct graph_op *op, const void *symbol, const void *from,
    size_t bytes, size_t first, enum cuda_copy_kind kind)
{
    struct rt *rt = rt_enter();
    const struct rt_kept_symbol_copy c = {symbol, NULL, from, bytes, first, kind};

    return rt_leave(rt, change(graph_copy_in(rt, exec, op), rt_run_symbol_write, &c));
}

enum cuda_error cudaGraphExecMemcpyNodeSetParamsFromSymbol(struct cuda_graph_exec *exec,
                                                           struct graph_op *op, void *to,
                                                           const void *symbol, size_t bytes,
                                                           size_t first,
                                                           enum cuda_copy_kind kind)
{
    struct rt *rt = rt_enter();
    const struct rt_kept_symbol_copy c = {symbol, to, NULL, bytes, first, kind};

    return rt_leave(rt, change(graph_copy_in(rt, exec, op), rt_run_symbol_read, &c));
}
