/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of calls that are kept. */
#include "rt_graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct graph_op *graph_add(struct cuda_graph *g, graph_run *run, const void *data,
                           size_t bytes)
{
    struct graph_op *op = must_calloc(1, sizeof *op);

    *op = (struct graph_op){.run = run, .data = must_calloc(1, bytes + 1), .bytes = bytes};
    if (bytes)
        memcpy(op->data, data, bytes);
    g->ops = must_grow(g->ops, g->count + 1, &g->capacity, sizeof(struct graph_op *));
    g->ops[g->count++] = op;
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
    size_t before = to->count, turn = 0, count = from->count; /* it may be the same one */

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
            graph_add(to, op->run, op->data, op->bytes)->origin = op;
        }
    }
    /* The order of the copies is one of those that were asked for: they need no other. */
    return to->count - before == count;
}

void graph_clear(struct cuda_graph *g)
{
    for (size_t i = 0; i < g->count; i++) {
        free(g->ops[i]->after);
        free(g->ops[i]->data);
        free(g->ops[i]);
    }
    free(g->ops);
    *g = (struct cuda_graph){0};
}

enum cuda_error graph_change(struct graph_op *op, graph_run *run, const void *data,
                             size_t bytes)
{
    if (!op)
        return cudaErrorInvalidValue;
    free(op->data);
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

enum cuda_error graph_run_all(struct rt *rt, const struct cuda_graph *g)
{
    enum cuda_error error = rt->broken;

    for (size_t i = 0; i < g->count && !error; i++)
        error = g->ops[i]->run(rt, g->ops[i]->data);
    return error;
}
