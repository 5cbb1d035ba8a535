/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs that are launched many times and changed between launches. Each case is compared
   with the same operations on the host. */
#include "replays.cuh"

static void steady()
{
    cudaGraphExec_t exec = made(1);

    launch(exec, 1, 40);
    check("steady");
    MUST(cudaGraphExecDestroy(exec));
}

static void parameters()
{
    cudaGraph_t graph = captured(1);
    cudaGraphExec_t exec;
    size_t count = nodes;
    cudaGraphNode_t all[nodes];
    cudaKernelNodeParams p;
    int by = 1;

    MUST(cudaGraphInstantiate(&exec, graph, 0));
    MUST(cudaGraphGetNodes(graph, all, &count));
    launch(exec, 1, 20);
    for (int i = 0; i < nodes; i += 2) {
        MUST(cudaGraphKernelNodeGetParams(all[i], &p));
        by = 7;
        void *args[] = {&y, &x, &by};
        p.kernelParams = args;
        MUST(cudaGraphExecKernelNodeSetParams(exec, all[i], &p));
    }
    launch(exec, 7, 20);
    check("other parameters");
    MUST(cudaGraphExecDestroy(exec));
    MUST(cudaGraphDestroy(graph));
}

/* A disabled node, in a graph whose result shows it. */
static void disabled()
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    size_t count = 4;
    cudaGraphNode_t all[4];

    MUST(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    for (int i = 0; i < 4; i++)
        shift<<<blocks, threads, 0, stream>>>(x, x, 5);
    MUST(cudaStreamEndCapture(stream, &graph));
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    MUST(cudaGraphGetNodes(graph, all, &count));
    for (int on = 1; on >= 0; on--) {
        MUST(cudaGraphNodeSetEnabled(exec, all[2], on));
        for (int k = 0; k < 20; k++) {
            MUST(cudaGraphLaunch(exec, stream));
            for (int i = 0; i < 3 + on; i++)
                shift_on_host(5);
        }
        check(on ? "on" : "off");
    }
    MUST(cudaGraphExecDestroy(exec));
    MUST(cudaGraphDestroy(graph));
}

static void updated()
{
    cudaGraphExec_t exec = made(1);
    cudaGraphExecUpdateResultInfo result;

    launch(exec, 1, 20);
    for (int by = 2; by < 4; by++) {
        cudaGraph_t graph = captured(by);

        MUST(cudaGraphExecUpdate(exec, graph, &result));
        MUST(cudaGraphDestroy(graph));
        launch(exec, by, 20);
        check("updated");
    }
    MUST(cudaGraphExecDestroy(exec));
}

/* An update with equal parameters keeps the recording. */
static void updated_alike()
{
    cudaGraphExec_t exec = made(1);
    cudaGraphExecUpdateResultInfo result;

    for (int i = 0; i < 40; i++) {
        cudaGraph_t graph = captured(1);

        MUST(cudaGraphExecUpdate(exec, graph, &result));
        MUST(cudaGraphDestroy(graph));
        launch(exec, 1, 1);
    }
    check("updated to the same");
    MUST(cudaGraphExecDestroy(exec));
}

/* Recordable sequences between host copies and a host function. */
static void count_up(void *counter)
{
    ++*(int *)counter;
}

static void stretches()
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    int called = 0;

    MUST(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    MUST(cudaMemcpyAsync(x, before.data(), n * sizeof(int), cudaMemcpyHostToDevice,
                         stream));
    launch_all(2);
    MUST(cudaLaunchHostFunc(stream, count_up, &called));
    MUST(cudaMemsetAsync(y, 0, 4 * n / 2, stream));
    MUST(cudaMemcpyAsync(y + n / 2, x, 4 * n / 2, cudaMemcpyDeviceToDevice, stream));
    smooth<<<blocks, threads, 0, stream>>>(x, y);
    MUST(cudaMemcpyAsync(got.data(), x, n * sizeof(int), cudaMemcpyDeviceToHost, stream));
    MUST(cudaStreamEndCapture(stream, &graph));
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    for (int k = 0; k < 30; k++) {
        std::vector<unsigned> from(n);

        for (int i = 0; i < n; i++)
            from[i] = expected[i] = i + k;
        before = from;
        MUST(cudaGraphLaunch(exec, stream));
        MUST(cudaStreamSynchronize(stream));
        all_on_host(2);
        for (int i = n - 1; i >= 0; i--)
            expected[i] = i < n / 2 ? 0 : expected[i - n / 2];
        smooth_on_host();
        before = from;
        if (got != expected || called != k + 1)
            printf("stretches: launch %d went wrong, %d calls\n", k, called);
    }
    check("stretches");
    MUST(cudaGraphExecDestroy(exec));
    MUST(cudaGraphDestroy(graph));
}

/* A child graph is part of a recordable sequence. */
static void child()
{
    cudaGraph_t graph, inner = captured(3);
    cudaGraphExec_t exec;
    cudaGraphNode_t nodes_of[3], none;

    MUST(cudaGraphCreate(&graph, 0));
    MUST(cudaGraphAddChildGraphNode(&nodes_of[0], graph, NULL, 0, inner));
    MUST(cudaGraphAddEmptyNode(&none, graph, &nodes_of[0], 1));
    MUST(cudaGraphAddChildGraphNode(&nodes_of[1], graph, &none, 1, inner));
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    MUST(cudaGraphDestroy(inner));
    for (int k = 0; k < 20; k++) {
        MUST(cudaGraphLaunch(exec, stream));
        all_on_host(3);
        all_on_host(3);
    }
    check("children");
    MUST(cudaGraphExecDestroy(exec));
    MUST(cudaGraphDestroy(graph));
}

static void nothing()
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t none;

    MUST(cudaGraphCreate(&graph, 0));
    for (int i = 0; i < 4; i++)
        MUST(cudaGraphAddEmptyNode(&none, graph, NULL, 0));
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    launch_all(1);
    all_on_host(1);
    for (int k = 0; k < 10; k++)
        MUST(cudaGraphLaunch(exec, stream));
    launch_all(1);
    all_on_host(1);
    check("nothing");
    MUST(cudaGraphExecDestroy(exec));
    MUST(cudaGraphDestroy(graph));
}

/* A failure is reported for a replay as for a call. */
static void fault()
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    int *uses, one = 1;

    MUST(cudaMalloc(&uses, sizeof *uses));
    MUST(cudaMemset(uses, 0, sizeof *uses));
    MUST(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    for (int i = 0; i < 4; i++)
        shift_by<<<blocks, threads, 0, stream>>>(x, x, NULL, uses);
    MUST(cudaStreamEndCapture(stream, &graph));
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    for (int k = 0; k < 20; k++)
        MUST(cudaGraphLaunch(exec, stream));
    MUST(cudaStreamSynchronize(stream));
    MUST(cudaMemcpy(uses, &one, sizeof one, cudaMemcpyHostToDevice));
    MUST(cudaGraphLaunch(exec, stream));
    printf("%s\n", cudaGetErrorName(cudaStreamSynchronize(stream)));
    printf("%s\n", cudaGetErrorName(cudaGraphLaunch(exec, stream)));
}

static const replay_case cases[] = {
    {"steady", steady},
    {"parameters", parameters},
    {"disabled", disabled},
    {"updated", updated},
    {"updated_alike", updated_alike},
    {"stretches", stretches},
    {"child", child},
    {"nothing", nothing},
    {"fault", fault},
};

int main(int count, char **names)
{
    return run_cases(cases, count, names);
}
