/* SPDX-License-Identifier: Apache-2.0 */
/* Equal repetitions before the sequence becomes a graph. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "device/cuda/graph/cuda_repeat.h"

enum { ALIKE = 2 };

enum proact_status cuda_repeat_create(struct device_set *set, struct device_repeat **out,
                                      struct proact_error *err)
{
    (void)err;
    *out = must_calloc(1, sizeof **out);
    (*out)->set = set;
    return PROACT_OK;
}

/* Starts a repetition; without deferral if an observer must receive each kernel. */
void cuda_repeat_begin(struct device_repeat *r)
{
    struct device_set *set = r->set;

    r->is_given_up = set->repeat || set->observer || set->nvtx.push || set->is_taping ||
                     set->is_batching || set->broken;
    r->now.count = 0;
    if (!r->is_given_up)
        set->repeat = r;
}

static bool is_same_launch(const struct repeat_op *a, const struct repeat_op *b)
{
    const struct device_launch *x = &a->launch, *y = &b->launch;

    return a->function == b->function && !memcmp(x->grid, y->grid, sizeof x->grid) &&
           !memcmp(x->block, y->block, sizeof x->block) &&
           !memcmp(x->cluster, y->cluster, sizeof x->cluster) &&
           x->shared_bytes == y->shared_bytes && x->is_urgent == y->is_urgent &&
           x->is_cooperative == y->is_cooperative &&
           x->parameter_bytes == y->parameter_bytes &&
           (!x->parameter_bytes ||
            !memcmp(x->parameters, y->parameters, x->parameter_bytes));
}

static bool is_same(const struct repeat_op *a, const struct repeat_op *b)
{
    const struct device_rows *x = &a->rows, *y = &b->rows;

    if (a->kind != b->kind)
        return false;
    switch (a->kind) {
    case REPEAT_LAUNCH:
        return is_same_launch(a, b);
    case REPEAT_COPY:
        return x->to == y->to && x->from == y->from && x->bytes == y->bytes &&
               x->count == y->count && x->to_pitch == y->to_pitch &&
               x->from_pitch == y->from_pitch;
    default:
        return a->to == b->to && a->bytes == b->bytes && a->value == b->value;
    }
}

static bool is_as_before(const struct device_repeat *r)
{
    if (r->now.count != r->before.count || r->unloads != r->set->unloads)
        return false;
    for (size_t i = 0; i < r->now.count; i++)
        if (!is_same(&r->now.op[i], &r->before.op[i]))
            return false;
    return true;
}

/* Destroys the graph after its last launch has ended. */
static void drop_graph(struct device_repeat *r)
{
    struct device_set *set = r->set;

    if (!r->exec)
        return;
    cuda_synchronize(set, NULL);
    cuda_context_push(&set->driver, set->devices[r->stream->device].context);
    if (!set->is_stuck)
        set->driver.graph_exec_destroy(r->exec);
    cuda_context_pop(&set->driver);
    r->exec = NULL;
}

/* Creates the graph within the stream's context. A failure is ignored here, since it recurs
   when the operations are queued directly. */
static void make_graph(struct device_repeat *r)
{
    struct device_set *set = r->set;
    const struct driver *v = &set->driver;
    cu_stream stream = r->stream->stream;
    const struct repeat_op *failed;
    cu_graph graph = NULL;

    r->is_refused = true;
    if (v->capture_begin(stream, CU_CAPTURE_RELAXED))
        return;
    set->is_capturing = true;
    const bool is_whole = !cuda_repeat_perform(r, true, &failed);

    set->is_capturing = false;
    if (!v->capture_end(stream, &graph) && is_whole)
        r->is_refused = v->graph_make(&r->exec, graph, CU_GRAPH_PRIORITIES) != 0;
    if (graph)
        v->graph_destroy(graph);
}

static enum proact_status queue(struct device_repeat *r, struct proact_error *err)
{
    struct device_set *set = r->set;
    enum proact_status status = cuda_enter(set, r->stream->device, err);
    const struct repeat_op *failed = NULL;

    if (status)
        return status;
    if (!r->exec && r->alike >= ALIKE && r->now.count > 1 && !r->is_refused)
        make_graph(r);
    if (r->exec)
        return cuda_leave(set, r->stream->device,
                          set->driver.graph_launch(r->exec, r->stream->stream),
                          "cuGraphLaunch", err);
    const cu_result result = cuda_repeat_perform(r, false, &failed);

    cuda_context_pop(&set->driver);
    return cuda_repeat_result(r, failed, result, err);
}

enum proact_status cuda_repeat_end(struct device_repeat *r, struct proact_error *err)
{
    struct repeat_list before = r->before;

    if (r->set->repeat == r)
        r->set->repeat = NULL;
    if (r->is_given_up || !r->now.count) {
        r->alike = 0;
        return PROACT_OK;
    }
    r->alike = is_as_before(r) ? r->alike + 1 : 0;
    if (!r->alike) {
        drop_graph(r);
        r->is_refused = false;
    }
    enum proact_status status = queue(r, err);

    r->unloads = r->set->unloads;
    r->before = r->now;
    r->now = before;
    return status;
}

static void list_free(struct repeat_list *l)
{
    for (size_t i = 0; i < l->capacity; i++)
        free(l->op[i].parameters);
    free(l->op);
}

void cuda_repeat_destroy(struct device_repeat *r)
{
    if (!r)
        return;
    drop_graph(r);
    list_free(&r->now);
    list_free(&r->before);
    free(r);
}
