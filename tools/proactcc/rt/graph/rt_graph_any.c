/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes of any kind, forwarded to the call for the kind. */
#include "rt/abi/cuda_calls.h"
#include "rt/abi/graph_calls.h"
#include "rt/graph/rt_graph_memory.h"

static enum cuda_error refuse(const char *call, int type)
{
    struct rt *rt = rt_enter();

    rt_print("%s(): nodes of type %d are not supported", call, type);
    return rt_leave(rt, cudaErrorNotSupported);
}

/* Without a copy of the child, both graphs would own its nodes. */
static enum cuda_error add_child(struct graph_op **out, struct cuda_graph *g,
                                 struct graph_op *const *after, size_t count,
                                 const struct cuda_node *node)
{
    return node->of.child.ownership
               ? refuse("cudaGraphAddNode", node->type)
               : cudaGraphAddChildGraphNode(out, g, after, count, node->of.child.graph);
}

/* `edges` always means full completion. */
enum cuda_error cudaGraphAddNode(struct graph_op **out, struct cuda_graph *g,
                                 struct graph_op *const *after, const void *edges,
                                 size_t count, struct cuda_node *node)
{
    (void)edges;
    switch (node->type) {
    case GRAPH_KERNEL:
        return cudaGraphAddKernelNode(out, g, after, count, &node->of.kernel);
    case GRAPH_COPY:
        return cudaGraphAddMemcpyNode(out, g, after, count, &node->of.copy.params);
    case GRAPH_FILL:
        return cudaGraphAddMemsetNode(out, g, after, count, &node->of.fill);
    case GRAPH_HOST:
        return cudaGraphAddHostNode(out, g, after, count, &node->of.host);
    case GRAPH_CHILD:
        return add_child(out, g, after, count, node);
    case GRAPH_EMPTY:
        return cudaGraphAddEmptyNode(out, g, after, count);
    case GRAPH_EVENT_WAIT:
        return cudaGraphAddEventWaitNode(out, g, after, count, node->of.event);
    case GRAPH_EVENT_RECORD:
        return cudaGraphAddEventRecordNode(out, g, after, count, node->of.event);
    case GRAPH_ALLOCATE:
        return cudaGraphAddMemAllocNode(out, g, after, count, &node->of.allocate);
    case GRAPH_FREE:
        return cudaGraphAddMemFreeNode(out, g, after, count, node->of.place);
    default:
        return refuse("cudaGraphAddNode", node->type);
    }
}

enum cuda_error cudaGraphNodeSetParams(struct graph_op *op, struct cuda_node *node)
{
    switch (node->type) {
    case GRAPH_KERNEL:
        return cudaGraphKernelNodeSetParams(op, &node->of.kernel);
    case GRAPH_COPY:
        return cudaGraphMemcpyNodeSetParams(op, &node->of.copy.params);
    case GRAPH_FILL:
        return cudaGraphMemsetNodeSetParams(op, &node->of.fill);
    case GRAPH_HOST:
        return cudaGraphHostNodeSetParams(op, &node->of.host);
    case GRAPH_EVENT_WAIT:
        return cudaGraphEventWaitNodeSetEvent(op, node->of.event);
    case GRAPH_EVENT_RECORD:
        return cudaGraphEventRecordNodeSetEvent(op, node->of.event);
    default:
        return refuse("cudaGraphNodeSetParams", node->type);
    }
}

enum cuda_error cudaGraphExecNodeSetParams(struct cuda_graph_exec *exec,
                                           struct graph_op *op, struct cuda_node *node)
{
    switch (node->type) {
    case GRAPH_KERNEL:
        return cudaGraphExecKernelNodeSetParams(exec, op, &node->of.kernel);
    case GRAPH_COPY:
        return cudaGraphExecMemcpyNodeSetParams(exec, op, &node->of.copy.params);
    case GRAPH_FILL:
        return cudaGraphExecMemsetNodeSetParams(exec, op, &node->of.fill);
    case GRAPH_HOST:
        return cudaGraphExecHostNodeSetParams(exec, op, &node->of.host);
    case GRAPH_EVENT_WAIT:
        return cudaGraphExecEventWaitNodeSetEvent(exec, op, node->of.event);
    case GRAPH_EVENT_RECORD:
        return cudaGraphExecEventRecordNodeSetEvent(exec, op, node->of.event);
    default:
        return refuse("cudaGraphExecNodeSetParams", node->type);
    }
}
