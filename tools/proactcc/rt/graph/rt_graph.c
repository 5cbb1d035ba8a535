/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of stored calls. */
#include "rt/graph/rt_graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "rt/graph/rt_graph_memory.h"

struct cuda_graph *rt_graph_create(struct rt *rt)
{
    struct cuda_graph *g = must_calloc(1, sizeof *g);

    rt->graphs.any = true;
    g->handles = &rt->handles;
    handle_add(&rt->handles, g, RT_GRAPH);
    return g;
}

void rt_graph_destroy(struct rt *rt, struct cuda_graph *g)
{
    handle_drop(&rt->handles, g);
    graph_clear(g);
    free(g);
}

struct graph_op *graph_add(struct cuda_graph *g, graph_run *run, const void *data,
                           size_t bytes)
{
    struct graph_op *op = must_calloc(1, sizeof *op);

    *op = (struct graph_op){
        .graph = g, .run = run, .data = must_calloc(1, bytes + 1), .bytes = bytes};
    if (bytes)
        memcpy(op->data, data, bytes);
    g->ops = must_grow(g->ops, g->count + 1, &g->capacity, sizeof(struct graph_op *));
    g->ops[g->count++] = op;
    if (g->handles)
        handle_add(g->handles, op, RT_GRAPH_NODE);
    rt_graph_memory_retain(op);
    return op;
}

void graph_after(struct graph_op *op, struct graph_op *before)
{
    op->after = must_grow(op->after, op->after_count + 1, &op->after_capacity,
                          sizeof(struct graph_op *));
    op->after[op->after_count++] = before;
}

static bool may_run(const struct graph_op *op)
{
    for (size_t i = 0; i < op->after_count; i++)
        if (!op->after[i]->turn)
            return false;
    return true;
}

bool graph_append(struct cuda_graph *to, const struct cuda_graph *from)
{
    size_t before = to->count, turn = 0,
           count = from->count; /* `to` and `from` may be the same graph */

    for (size_t i = 0; i < count; i++)
        from->ops[i]->turn = 0;
    for (bool moved = true; moved && turn < count;) {
        moved = false;
        for (size_t i = 0; i < count; i++) {
            struct graph_op *op = from->ops[i];

            if (op->turn || !may_run(op))
                continue;
            op->turn = ++turn;
            moved = true;
            struct graph_op *copy = graph_add(to, op->run, op->data, op->bytes);

            copy->origin = op;
            copy->is_off = op->is_off;
            for (size_t k = 0; k < op->after_count; k++) /* predecessors have a position
                                                            already */
                graph_after(copy, to->ops[before + op->after[k]->turn - 1]);
        }
    }
    return to->count - before == count;
}

static void op_destroy(struct graph_op *op)
{
    if (op->graph->handles)
        handle_drop(op->graph->handles, op);
    rt_graph_memory_drop(op);
    free(op->args);
    free(op->after);
    free(op->data);
    free(op);
}

void graph_clear(struct cuda_graph *g)
{
    for (size_t i = 0; i < g->count; i++)
        op_destroy(g->ops[i]);
    free(g->ops);
    *g = (struct cuda_graph){.handles = g->handles};
}

void graph_move(struct cuda_graph *to, struct cuda_graph *from)
{
    *to = *from;
    for (size_t i = 0; i < to->count; i++)
        to->ops[i]->graph = to;
    *from = (struct cuda_graph){0};
}

bool graph_is(const struct rt *rt, const struct cuda_graph *g)
{
    return handle_is(&rt->handles, g, RT_GRAPH);
}

bool graph_is_exec(const struct rt *rt, const struct cuda_graph_exec *exec)
{
    return handle_is(&rt->handles, exec, RT_GRAPH_EXEC);
}

bool graph_is_node(const struct rt *rt, const struct graph_op *op)
{
    return handle_is(&rt->handles, op, RT_GRAPH_NODE);
}

void graph_forget(struct graph_op *op, const struct graph_op *before)
{
    size_t kept = 0;

    for (size_t i = 0; i < op->after_count; i++)
        if (op->after[i] != before)
            op->after[kept++] = op->after[i];
    op->after_count = kept;
}

void graph_remove(struct graph_op *op)
{
    struct cuda_graph *g = op->graph;
    size_t kept = 0;

    for (size_t i = 0; i < g->count; i++) {
        graph_forget(g->ops[i], op);
        if (g->ops[i] != op)
            g->ops[kept++] = g->ops[i];
    }
    g->count = kept;
    op_destroy(op);
}

enum cuda_error graph_change(struct graph_op *op, graph_run *run, const void *data,
                             size_t bytes)
{
    if (!op)
        return cudaErrorInvalidValue;
    free(op->data);
    free(op->args);
    op->args = NULL;
    op->run = run;
    op->data = must_calloc(1, bytes + 1);
    op->bytes = bytes;
    memcpy(op->data, data, bytes);
    return cudaSuccess;
}

struct graph_op *graph_copy_of(const struct cuda_graph *g, const struct graph_op *origin)
{
    for (size_t i = 0; i < g->count; i++)
        if (g->ops[i]->origin == origin)
            return g->ops[i];
    return NULL;
}

struct graph_op *graph_node_of(const struct rt *rt, struct graph_op *op)
{
    return graph_is_node(rt, op) ? op : NULL;
}

struct graph_op *graph_copy_in(const struct rt *rt, struct cuda_graph_exec *exec,
                               const struct graph_op *op)
{
    return graph_is_exec(rt, exec) ? graph_copy_of(&exec->graph, op) : NULL;
}

enum cuda_error graph_run_all(struct rt *rt, const struct cuda_graph *g)
{
    enum cuda_error error = rt->broken;

    for (size_t i = 0; i < g->count && !error; i++)
        if (!g->ops[i]->is_off)
            error = g->ops[i]->run(rt, g->ops[i]->data);
    return error;
}

void rt_graph_recorded(struct rt *rt, struct cuda_kernel *k, bool is_split)
{
    struct graph_stretch *s = rt->recording;

    s->kernel =
        must_grow(s->kernel, s->kernel_count, &s->kernel_capacity, sizeof *s->kernel);
    s->kernel[s->kernel_count++] =
        (struct graph_recorded){k, is_split, proact_last_launch_device(rt->session)};
}
