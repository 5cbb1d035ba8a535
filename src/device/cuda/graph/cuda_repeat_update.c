/* SPDX-License-Identifier: Apache-2.0 */
/* Changes of the launches in the graph of a loop. */
#include <string.h>

#include "base/memory.h"
#include "device/cuda/graph/cuda_repeat.h"

static bool has_same_size(const struct device_launch *x, const struct device_launch *y)
{
    return !memcmp(x->grid, y->grid, sizeof x->grid) &&
           !memcmp(x->block, y->block, sizeof x->block) &&
           x->shared_bytes == y->shared_bytes;
}

static bool has_same_parameters(const struct device_launch *x,
                                const struct device_launch *y)
{
    return !x->parameter_bytes || !memcmp(x->parameters, y->parameters, x->parameter_bytes);
}

/* Launches of one function that differ at most in what a node can change. The attributes of
   a node stay, and a cooperative launch or one in clusters fits only by its size. */
static bool launch_may_change(const struct repeat_op *a, const struct repeat_op *b)
{
    const struct device_launch *x = &a->launch, *y = &b->launch;
    const bool has_fixed_size = x->cluster[0] || x->is_cooperative;

    return a->function == b->function && x->parameter_bytes == y->parameter_bytes &&
           !memcmp(x->cluster, y->cluster, sizeof x->cluster) &&
           x->is_urgent == y->is_urgent && x->is_cooperative == y->is_cooperative &&
           (!has_fixed_size || has_same_size(x, y));
}

static bool is_same_launch(const struct repeat_op *a, const struct repeat_op *b)
{
    return has_same_size(&a->launch, &b->launch) &&
           has_same_parameters(&a->launch, &b->launch);
}

static bool repeat_op_stays(const struct device_repeat *r, const struct repeat_op *a,
                            const struct repeat_op *b)
{
    const struct device_rows *x = &a->rows, *y = &b->rows;

    if (a->kind != b->kind)
        return false;
    switch (a->kind) {
    case REPEAT_LAUNCH:
        return launch_may_change(a, b) &&
               (r->set->driver.graph_set_kernel || is_same_launch(a, b));
    case REPEAT_COPY:
        return x->to == y->to && x->from == y->from && x->bytes == y->bytes &&
               x->count == y->count && x->to_pitch == y->to_pitch &&
               x->from_pitch == y->from_pitch;
    default:
        return a->to == b->to && a->bytes == b->bytes && a->value == b->value;
    }
}

bool cuda_repeat_is_as_before(const struct device_repeat *r)
{
    if (r->now.count != r->before.count || r->unloads != r->set->unloads)
        return false;
    for (size_t i = 0; i < r->now.count; i++)
        if (!repeat_op_stays(r, &r->now.op[i], &r->before.op[i]))
            return false;
    return true;
}

/* In a capture of one stream, the next operation follows the last node alone. */
void cuda_repeat_note_node(struct device_repeat *r, size_t op)
{
    const struct driver *v = &r->set->driver;
    const cu_graph_node *after = NULL;
    const struct cu_edge *edges = NULL;
    cu_capture_status status;
    cu_graph graph;
    size_t count = 0;
    uint64_t id;

    r->node = must_grow(r->node, op + 1, &r->node_capacity, sizeof(cu_graph_node));
    r->node[op] = NULL;
    if (v->capture_info &&
        !v->capture_info(r->stream->stream, &status, &id, &graph, &after, &edges, &count) &&
        count == 1)
        r->node[op] = after[0];
}

static cu_result set_node(const struct device_repeat *r, size_t i)
{
    const struct repeat_op *op = &r->now.op[i];
    const struct device_launch *l = &op->launch;
    size_t bytes = l->parameter_bytes;
    void *extra[] = {CU_LAUNCH_BUFFER, (void *)(uintptr_t)l->parameters,
                     CU_LAUNCH_BUFFER_BYTES, &bytes, CU_LAUNCH_END};
    const struct cu_kernel_node node = {.function = op->function->function,
                                        .grid = {l->grid[0], l->grid[1], l->grid[2]},
                                        .block = {l->block[0], l->block[1], l->block[2]},
                                        .shared_bytes = l->shared_bytes,
                                        .extra = bytes ? extra : NULL};

    return r->set->driver.graph_set_kernel(r->exec, r->node[i], &node);
}

bool cuda_repeat_update(const struct device_repeat *r)
{
    const struct driver *v = &r->set->driver;
    bool is_done = true;

    cuda_context_push(v, r->set->devices[r->stream->device].context);
    for (size_t i = 0; i < r->now.count && is_done; i++)
        if (r->now.op[i].kind == REPEAT_LAUNCH &&
            !is_same_launch(&r->now.op[i], &r->before.op[i]))
            is_done = r->node[i] && !set_node(r, i);
    cuda_context_pop(v);
    return is_done;
}
