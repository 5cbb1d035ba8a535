/* SPDX-License-Identifier: Apache-2.0 */
/* Equal repetitions before the sequence becomes a graph. */
#include <stdlib.h>

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
    if (!set->is_stuck)
        set->driver.graph_destroy(r->graph);
    cuda_context_pop(&set->driver);
    r->exec = NULL;
    r->graph = NULL;
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
    r->graph = r->exec ? graph : NULL; /* its nodes name those of the executable graph */
    if (graph && !r->graph)
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
    r->alike = cuda_repeat_is_as_before(r) ? r->alike + 1 : 0;
    if (r->alike && r->exec && !cuda_repeat_update(r))
        r->alike = 0;
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
    free(r->node);
    free(r);
}
