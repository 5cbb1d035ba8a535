/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes of kernel nodes, which are those of the stored launch. */
#include <string.h>

#include "rt/abi/graph_calls.h"
#include "rt/graph/rt_graph.h"
#include "rt/launch/rt_cluster.h"

static struct proact_grid *grid_of(const struct rt *rt, const struct graph_op *op,
                                   struct cuda_kernel **k)
{
    return graph_is_node(rt, op) ? rt_launch_grid(op, k) : NULL;
}

enum cuda_error cudaGraphKernelNodeSetAttribute(struct graph_op *op, int attribute,
                                                const void *value)
{
    struct rt *rt = rt_enter();
    struct cuda_kernel *k = NULL;
    struct proact_grid *grid = grid_of(rt, op, &k), other;
    enum cuda_error error = cudaSuccess;
    int flag;

    if (!grid || !value)
        return rt_leave(rt, cudaErrorInvalidValue);
    other = *grid;
    memcpy(&flag, value, sizeof flag);
    if (attribute == RT_COOPERATIVE)
        other.is_cooperative = flag != 0;
    else if (attribute == RT_CLUSTER)
        memcpy(other.cluster_ctas, value, sizeof other.cluster_ctas);
    else if (!rt_is_hint(attribute))
        error = cudaErrorNotSupported;
    if (error)
        rt_print("cudaGraphKernelNodeSetAttribute(): attribute %d is not supported",
                 attribute);
    else if (!(error = rt_cluster_settle(k, &other)))
        *grid = other;
    return rt_leave(rt, error);
}

/* Hints are not stored: a query returns their defaults. */
enum cuda_error cudaGraphKernelNodeGetAttribute(struct graph_op *op, int attribute,
                                                void *value)
{
    struct rt *rt = rt_enter();
    struct cuda_kernel *k = NULL;
    const struct proact_grid *grid = grid_of(rt, op, &k);

    if (!grid || !value)
        return rt_leave(rt, cudaErrorInvalidValue);
    if (attribute != RT_COOPERATIVE && attribute != RT_CLUSTER && !rt_is_hint(attribute))
        return rt_leave(rt, cudaErrorNotSupported);
    int flag = grid->is_cooperative;

    memset(value, 0, sizeof((struct cuda_launch_attribute){0}.value));
    if (attribute == RT_COOPERATIVE)
        memcpy(value, &flag, sizeof flag);
    if (attribute == RT_CLUSTER)
        memcpy(value, grid->cluster_ctas, sizeof grid->cluster_ctas);
    return rt_leave(rt, cudaSuccess);
}

enum cuda_error cudaGraphKernelNodeCopyAttributes(struct graph_op *to,
                                                  struct graph_op *from)
{
    struct rt *rt = rt_enter();
    struct cuda_kernel *k = NULL;
    const struct proact_grid *of = grid_of(rt, from, &k);
    struct proact_grid *into = grid_of(rt, to, &k), other;

    if (!of || !into)
        return rt_leave(rt, cudaErrorInvalidValue);
    other = *into;
    other.is_cooperative = of->is_cooperative;
    memcpy(other.cluster_ctas, of->cluster_ctas, sizeof other.cluster_ctas);
    enum cuda_error error = rt_cluster_settle(k, &other);

    if (!error)
        *into = other;
    return rt_leave(rt, error);
}
