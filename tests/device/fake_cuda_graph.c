/* SPDX-License-Identifier: Apache-2.0 */
/* Captures and graphs. A graph is one queue per captured stream, and runs as such. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "device/fake_cuda.h"

struct fake_run {
    struct fake_queue lane[FAKE_LANES_MAX];
    unsigned lanes;
    bool *marks;
};

bool *fake_run_marks(struct fake_run *run)
{
    return run->marks;
}

void fake_run_destroy(struct fake_run *run)
{
    if (!run)
        return;
    for (unsigned i = 0; i < run->lanes; i++)
        fake_queue_clear(&run->lane[i]);
    free(run->marks);
    free(run);
}

static struct fake_run *start(const struct CUgraph_st *g)
{
    struct fake_run *run = must_calloc(1, sizeof *run);

    run->lanes = g->lanes;
    run->marks = must_calloc(g->marks + 1, sizeof *run->marks);
    for (unsigned i = 0; i < g->lanes; i++)
        for (const struct fake_op *o = g->lane[i].first; o; o = o->next) {
            struct CUstream_st lane = {.device = o->device, .queue = run->lane[i]};
            struct fake_op again = *o;

            if (o->launch)
                again.launch = fake_launch_again(o->launch);
            fake_queue(&lane, again);
            run->lane[i] = lane.queue;
        }
    return run;
}

bool fake_graph_go_on(struct fake_op *op)
{
    bool is_done = true;

    for (unsigned i = 0; i < op->run->lanes; i++)
        is_done &= fake_queue_go_on(&op->run->lane[i], op->run);
    return is_done;
}

cu_result cuStreamBeginCapture_v2(cu_stream stream, cu_capture_mode mode)
{
    FAKE_ALONE;
    cu_result result = fake_enter(__func__);

    if (result)
        return result;
    if (mode != CU_CAPTURE_RELAXED || stream->capture)
        return CU_INVALID_VALUE;
    stream->capture = must_calloc(1, sizeof *stream->capture);
    stream->capture->stream[stream->capture->lanes++] = stream;
    stream->lane = 0;
    fake_cuda()->left++;
    return 0;
}

/* The last operation of each other stream is a mark that another stream waits for. */
static bool all_joined(const struct CUgraph_st *g)
{
    for (unsigned i = 1; i < g->lanes; i++)
        if (!g->lane[i].last || g->lane[i].last->kind != FAKE_MARK)
            return false;
    return true;
}

cu_result cuStreamEndCapture(cu_stream stream, cu_graph *out)
{
    FAKE_ALONE;
    struct CUgraph_st *g = stream->capture;
    cu_result result = fake_enter(__func__);

    if (!g)
        return CU_INVALID_VALUE;
    for (unsigned i = 0; i < g->lanes; i++)
        g->stream[i]->capture = NULL;
    if (!result && !all_joined(g))
        result = FAKE_CAPTURE_UNJOINED;
    if (result) {
        cuGraphDestroy(g);
        return result;
    }
    *out = g;
    return 0;
}

/* A real driver accepts such a graph, but its launch blocks until the queue has space. */
static bool is_long(const struct CUgraph_st *g)
{
    enum { QUEUE_OPERATIONS = 1024 };

    for (unsigned i = 0; i < g->lanes; i++) {
        unsigned count = 0;

        for (const struct fake_op *o = g->lane[i].first; o; o = o->next)
            count++;
        if (count > QUEUE_OPERATIONS)
            return true;
    }
    return false;
}

/* A kernel that starts early may occupy the device, and other kernels that its predecessor
   waits for then find no space. */
static bool graph_may_block(const struct CUgraph_st *g)
{
    unsigned working = 0;
    bool lets = false;

    for (unsigned i = 0; i < g->lanes; i++) {
        bool works = false;

        for (const struct fake_op *o = g->lane[i].first; o; o = o->next) {
            works |= o->kind != FAKE_MARK && o->kind != FAKE_WAIT_MARK;
            lets |= o->kind == FAKE_LAUNCH && o->value;
        }
        working += works;
    }
    return lets && working > 1;
}

/* More branches than queues, which the driver assigns arbitrarily: a fill or copy may be
   queued after a blocked branch. */
static bool is_wide(const struct CUgraph_st *g)
{
    unsigned working = 0;
    bool queues = false;

    for (unsigned i = 0; i < g->lanes; i++) {
        bool works = false;

        for (const struct fake_op *o = g->lane[i].first; o; o = o->next) {
            const bool is_mark = o->kind == FAKE_MARK || o->kind == FAKE_WAIT_MARK;

            works |= !is_mark;
            queues |= !is_mark && o->kind != FAKE_LAUNCH;
        }
        working += works;
    }
    return queues && working > fake_cuda()->queues;
}

/* An exec takes the graph's operations. The graph is unusable afterwards and may only be
   destroyed, as the backend does. */
cu_result cuGraphInstantiateWithFlags(cu_graph_exec *out, cu_graph graph,
                                      unsigned long long flags)
{
    FAKE_ALONE;
    cu_result result = fake_enter(__func__);

    (void)flags;
    if (result || is_long(graph) || graph_may_block(graph) || is_wide(graph))
        return result ? result : CU_OUT_OF_MEMORY;
    *out = must_calloc(1, sizeof **out);
    (*out)->graph = must_calloc(1, sizeof *graph);
    *(*out)->graph = *graph;
    memset(graph->lane, 0, sizeof graph->lane);
    fake_cuda()->left++;
    return 0;
}

cu_result cuGraphUpload(cu_graph_exec exec, cu_stream stream)
{
    FAKE_ALONE;
    (void)exec;
    (void)stream;
    return fake_enter(__func__);
}

cu_result cuGraphLaunch(cu_graph_exec exec, cu_stream stream)
{
    FAKE_ALONE;
    cu_result result = fake_enter(__func__);

    if (result)
        return result;
    /* A later change of the graph does not concern this launch. */
    fake_queue(stream, (struct fake_op){.kind = FAKE_GRAPH, .run = start(exec->graph)});
    return 0;
}

/* A node is the operation, which the executable graph takes over. */
cu_result cuStreamGetCaptureInfo_v3(cu_stream stream, cu_capture_status *status,
                                    uint64_t *id, cu_graph *graph,
                                    const cu_graph_node **after,
                                    const struct cu_edge **edges, size_t *count)
{
    FAKE_ALONE;
    struct CUgraph_st *g = stream->capture;
    cu_result result = fake_enter(__func__);

    if (result || !g)
        return result ? result : CU_INVALID_VALUE;
    g->after = (cu_graph_node)g->lane[stream->lane].last;
    *status = 1;
    *id = 1;
    *graph = g;
    *after = &g->after;
    *edges = NULL;
    *count = g->after != NULL;
    return 0;
}

cu_result cuGraphExecKernelNodeSetParams_v2(cu_graph_exec exec, cu_graph_node node,
                                            const struct cu_kernel_node *what)
{
    FAKE_ALONE;
    cu_result result = fake_enter(__func__);

    for (unsigned i = 0; i < exec->graph->lanes && !result; i++)
        for (struct fake_op *o = exec->graph->lane[i].first; o; o = o->next)
            if ((cu_graph_node)o == node && o->kind == FAKE_LAUNCH) {
                fake_launch_change(o->launch, what);
                return 0;
            }
    return result ? result : CU_INVALID_VALUE;
}

cu_result cuGraphDestroy(cu_graph graph)
{
    FAKE_ALONE;
    for (unsigned i = 0; i < graph->lanes; i++)
        fake_queue_clear(&graph->lane[i]);
    free(graph);
    fake_cuda()->left--;
    return 0;
}

cu_result cuGraphExecDestroy(cu_graph_exec exec)
{
    FAKE_ALONE;
    cu_result result = fake_enter(__func__);

    for (unsigned i = 0; i < exec->graph->lanes; i++)
        fake_queue_clear(&exec->graph->lane[i]);
    free(exec->graph);
    free(exec);
    fake_cuda()->left--;
    return result;
}
