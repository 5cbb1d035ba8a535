/* SPDX-License-Identifier: Apache-2.0 */
/* Queries of the kind and the parameters of nodes. */
#include <string.h>

#include "rt/abi/cuda_calls.h"
#include "rt/abi/graph_calls.h"
#include "rt/graph/rt_graph_memory.h"

static int type_of(const struct graph_op *op)
{
    static const struct {
        graph_run *run;
        int type;
    } types[] = {{rt_run_launch, GRAPH_KERNEL},
                 {rt_run_copy_3d, GRAPH_COPY},
                 {rt_run_copy, GRAPH_COPY},
                 {rt_run_rows, GRAPH_COPY},
                 {rt_run_symbol_write, GRAPH_COPY},
                 {rt_run_symbol_read, GRAPH_COPY},
                 {rt_run_fill_3d, GRAPH_FILL},
                 {rt_run_fill, GRAPH_FILL},
                 {rt_run_fill_wide, GRAPH_FILL},
                 {rt_run_host, GRAPH_HOST},
                 {rt_run_child, GRAPH_CHILD},
                 {rt_run_event_wait, GRAPH_EVENT_WAIT},
                 {rt_run_event_record, GRAPH_EVENT_RECORD}};

    for (size_t n = 0; n < sizeof types / sizeof *types; n++)
        if (op->run == types[n].run)
            return types[n].type;
    return rt_graph_memory_type(op) < 0 ? GRAPH_EMPTY : rt_graph_memory_type(op);
}

static bool is_of(const struct rt *rt, const struct graph_op *op, int type)
{
    return graph_is_node(rt, op) && type_of(op) == type;
}

enum cuda_error cudaGraphNodeGetType(struct graph_op *op, int *type)
{
    struct rt *rt = rt_enter();

    if (!graph_is_node(rt, op) || !type)
        return rt_leave(rt, cudaErrorInvalidValue);
    *type = type_of(op);
    return rt_leave(rt, cudaSuccess);
}

enum cuda_error cudaGraphNodeFindInClone(struct graph_op **out, struct graph_op *original,
                                         struct cuda_graph *clone)
{
    struct rt *rt = rt_enter();
    struct graph_op *found = graph_is(rt, clone) ? graph_copy_of(clone, original) : NULL;

    if (found)
        *out = found;
    return rt_leave(rt, found ? cudaSuccess : cudaErrorInvalidValue);
}

enum cuda_error cudaGraphKernelNodeGetParams(struct graph_op *op,
                                             struct cuda_kernel_node *out)
{
    struct rt *rt = rt_enter();

    if (!is_of(rt, op, GRAPH_KERNEL))
        return rt_leave(rt, cudaErrorInvalidValue);
    rt_launch_show(op, out);
    return rt_leave(rt, cudaSuccess);
}

static struct cuda_copy_3d of_rows(const struct rt_rows *rows, enum cuda_copy_kind kind)
{
    return (struct cuda_copy_3d){
        .from = {(void *)(uintptr_t)rows->from, rows->from_pitch, rows->width,
                 rows->height},
        .to = {rows->to, rows->to_pitch, rows->width, rows->height},
        .extent = {rows->width, rows->height, 1},
        .kind = kind};
}

static struct cuda_copy_3d of_line(void *to, const void *from, size_t bytes,
                                   enum cuda_copy_kind kind)
{
    return of_rows(&(struct rt_rows){to, from, bytes, bytes, bytes, 1}, kind);
}

/* A copy to or from a variable, by its address on the device. */
static enum cuda_error of_symbol(const struct graph_op *op, struct cuda_copy_3d *out)
{
    const struct rt_kept_symbol_copy *c = op->data;
    void *place = NULL;
    enum cuda_error error = cudaGetSymbolAddress(&place, c->symbol);
    char *at = (char *)place + c->first;

    if (!error && op->run == rt_run_symbol_write)
        *out = of_line(at, c->from, c->bytes, c->kind);
    else if (!error)
        *out = of_line(c->to, at, c->bytes, c->kind);
    return error;
}

enum cuda_error cudaGraphMemcpyNodeGetParams(struct graph_op *op, struct cuda_copy_3d *out)
{
    struct rt *rt = rt_enter();
    enum cuda_error error = is_of(rt, op, GRAPH_COPY) ? cudaSuccess : cudaErrorInvalidValue;

    if (error)
        return rt_leave(rt, error);
    if (op->run == rt_run_copy_3d) {
        memcpy(out, op->data, sizeof *out);
    } else if (op->run == rt_run_copy) {
        const struct rt_kept_copy *c = op->data;

        *out = of_line(c->to, c->from, c->bytes, c->kind);
    } else if (op->run == rt_run_rows) {
        const struct rt_kept_rows *c = op->data;

        *out = of_rows(&c->rows, c->kind);
    } else {
        error = of_symbol(op, out);
    }
    return rt_leave(rt, error);
}

/* A captured fill has one-byte elements and counts the rows of all planes. */
enum cuda_error cudaGraphMemsetNodeGetParams(struct graph_op *op,
                                             struct cuda_fill_node *out)
{
    struct rt *rt = rt_enter();

    if (!is_of(rt, op, GRAPH_FILL))
        return rt_leave(rt, cudaErrorInvalidValue);
    const struct rt_kept_fill *f = op->data;

    if (op->run != rt_run_fill_3d)
        memcpy(out, op->data, sizeof *out);
    else if (f->extent.depth > 1 && f->to.height != f->extent.height)
        return rt_leave(rt, cudaErrorNotSupported);
    else
        *out = (struct cuda_fill_node){.to = f->to.pointer,
                                       .pitch = f->to.pitch,
                                       .value = (unsigned char)f->value,
                                       .element_bytes = 1,
                                       .width = f->extent.width,
                                       .height = f->extent.height * f->extent.depth};
    return rt_leave(rt, cudaSuccess);
}

enum cuda_error cudaGraphHostNodeGetParams(struct graph_op *op, struct cuda_host_node *out)
{
    struct rt *rt = rt_enter();

    if (!is_of(rt, op, GRAPH_HOST))
        return rt_leave(rt, cudaErrorInvalidValue);
    memcpy(out, op->data, sizeof *out);
    return rt_leave(rt, cudaSuccess);
}

enum cuda_error cudaGraphChildGraphNodeGetGraph(struct graph_op *op,
                                                struct cuda_graph **out)
{
    struct rt *rt = rt_enter();

    if (!is_of(rt, op, GRAPH_CHILD))
        return rt_leave(rt, cudaErrorInvalidValue);
    memcpy(out, op->data, sizeof *out);
    return rt_leave(rt, cudaSuccess);
}

/* The copy of a node that can be disabled. */
static struct graph_op *copy_of(struct rt *rt, const struct cuda_graph_exec *exec,
                                const struct graph_op *op)
{
    struct graph_op *copy =
        graph_is_exec(rt, exec) ? graph_copy_of(&exec->graph, op) : NULL;

    return copy && type_of(copy) <= GRAPH_FILL ? copy : NULL;
}

enum cuda_error cudaGraphNodeSetEnabled(struct cuda_graph_exec *exec, struct graph_op *op,
                                        unsigned is_on)
{
    struct rt *rt = rt_enter();
    struct graph_op *copy = copy_of(rt, exec, op);

    if (copy)
        copy->is_off = !is_on;
    return rt_leave(rt, copy ? cudaSuccess : cudaErrorInvalidValue);
}

enum cuda_error cudaGraphNodeGetEnabled(struct cuda_graph_exec *exec, struct graph_op *op,
                                        unsigned *is_on)
{
    struct rt *rt = rt_enter();
    const struct graph_op *copy = copy_of(rt, exec, op);

    if (copy)
        *is_on = !copy->is_off;
    return rt_leave(rt, copy ? cudaSuccess : cudaErrorInvalidValue);
}

enum cuda_error cudaGraphExecGetFlags(struct cuda_graph_exec *exec,
                                      unsigned long long *flags)
{
    struct rt *rt = rt_enter();

    if (!graph_is_exec(rt, exec))
        return rt_leave(rt, cudaErrorInvalidValue);
    *flags = exec->flags;
    return rt_leave(rt, cudaSuccess);
}
