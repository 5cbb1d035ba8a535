/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes that record an event or wait for one. */
#include <string.h>

#include "rt/abi/graph_calls.h"
#include "rt/graph/rt_graph.h"

static enum cuda_error add(const struct graph_place *at, graph_run *run,
                           struct cuda_event *event)
{
    struct rt *rt = rt_enter();

    return rt_leave(rt,
                    event ? graph_node_add(rt, at, run, &event, sizeof(struct cuda_event *))
                          : cudaErrorInvalidValue);
}

static enum cuda_error show(const struct graph_op *op, graph_run *run,
                            struct cuda_event **out)
{
    struct rt *rt = rt_enter();

    if (!graph_is_node(rt, op) || op->run != run || !out)
        return rt_leave(rt, cudaErrorInvalidValue);
    memcpy(out, op->data, sizeof(struct cuda_event *));
    return rt_leave(rt, cudaSuccess);
}

/* A change in the graph or in an executable graph. */
static enum cuda_error change(struct rt *rt, struct graph_op *op, graph_run *run,
                              struct cuda_event *event)
{
    if (!op || op->run != run || !event)
        return rt_leave(rt, cudaErrorInvalidValue);
    return rt_leave(rt, graph_change(op, run, &event, sizeof(struct cuda_event *)));
}

enum cuda_error cudaGraphAddEventRecordNode(struct graph_op **out, struct cuda_graph *g,
                                            struct graph_op *const *after, size_t count,
                                            struct cuda_event *event)
{
    return add(&(struct graph_place){out, g, after, count}, rt_run_event_record, event);
}

enum cuda_error cudaGraphAddEventWaitNode(struct graph_op **out, struct cuda_graph *g,
                                          struct graph_op *const *after, size_t count,
                                          struct cuda_event *event)
{
    return add(&(struct graph_place){out, g, after, count}, rt_run_event_wait, event);
}

enum cuda_error cudaGraphEventRecordNodeGetEvent(struct graph_op *op,
                                                 struct cuda_event **out)
{
    return show(op, rt_run_event_record, out);
}

enum cuda_error cudaGraphEventWaitNodeGetEvent(struct graph_op *op, struct cuda_event **out)
{
    return show(op, rt_run_event_wait, out);
}

enum cuda_error cudaGraphEventRecordNodeSetEvent(struct graph_op *op,
                                                 struct cuda_event *event)
{
    struct rt *rt = rt_enter();

    return change(rt, graph_node_of(rt, op), rt_run_event_record, event);
}

enum cuda_error cudaGraphEventWaitNodeSetEvent(struct graph_op *op,
                                               struct cuda_event *event)
{
    struct rt *rt = rt_enter();

    return change(rt, graph_node_of(rt, op), rt_run_event_wait, event);
}

enum cuda_error cudaGraphExecEventRecordNodeSetEvent(struct cuda_graph_exec *exec,
                                                     struct graph_op *op,
                                                     struct cuda_event *event)
{
    struct rt *rt = rt_enter();

    return change(rt, graph_copy_in(rt, exec, op), rt_run_event_record, event);
}

enum cuda_error cudaGraphExecEventWaitNodeSetEvent(struct cuda_graph_exec *exec,
                                                   struct graph_op *op,
                                                   struct cuda_event *event)
{
    struct rt *rt = rt_enter();

    return change(rt, graph_copy_in(rt, exec, op), rt_run_event_wait, event);
}
