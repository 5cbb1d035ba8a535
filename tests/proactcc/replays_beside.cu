/* SPDX-License-Identifier: Apache-2.0 */
/* Changes outside a graph between its launches: memory and variables. */
#include "replays.cuh"

/* Copies and kernels between two launches change the graph's input. */
static void outside()
{
    cudaGraphExec_t exec = made(1);

    for (int i = 0; i < 12; i++) {
        launch(exec, 1, 2);
        check("outside");
        expected[17] = expected[n - 1] = i;
        MUST(cudaMemcpy(x, expected.data(), n * sizeof(int), cudaMemcpyHostToDevice));
        launch(exec, 1, 1);
        launch_all(i);
        all_on_host(i);
    }
    check("outside");
    MUST(cudaGraphExecDestroy(exec));
}

static void variables()
{
    cudaGraphExec_t exec = made(1);
    int now;

    launch(exec, 1, 20);
    now = 10;
    MUST(cudaMemcpyToSymbol(step, &now, sizeof now));
    launch(exec, 11, 20);
    check("a constant");
    now = 100;
    MUST(cudaMemcpyToSymbol(offset, &now, sizeof now));
    launch(exec, 111, 20);
    check("a variable");
    set_offset<<<1, 1>>>(1000);
    launch(exec, 1011, 20);
    check("a variable that a kernel sets");
    now = 0;
    MUST(cudaMemcpyToSymbol(step, &now, sizeof now));
    MUST(cudaMemcpyToSymbol(offset, &now, sizeof now));
    MUST(cudaGraphExecDestroy(exec));
}

/* Kernels of a graph set a variable that split kernels of another graph read. */
static void variable_set()
{
    cudaGraphExec_t exec = made(1), fills;
    cudaGraph_t graph;
    MUST(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    for (int i = 0; i < 3; i++)
        set_offset<<<1, 1, 0, stream>>>(50);
    MUST(cudaStreamEndCapture(stream, &graph));
    MUST(cudaGraphInstantiate(&fills, graph, 0));
    for (int i = 0; i < 12; i++) {
        set_offset<<<1, 1, 0, stream>>>(0);
        launch(exec, 1, 4);
        MUST(cudaGraphLaunch(fills, stream));
        launch(exec, 51, 4);
        check("a variable that a graph sets");
    }
    set_offset<<<1, 1, 0, stream>>>(0);
    MUST(cudaGraphExecDestroy(exec));
    MUST(cudaGraphExecDestroy(fills));
    MUST(cudaGraphDestroy(graph));
}

/* An unknown address becomes registered memory. */
static void registered_later()
{
    std::vector<unsigned> other(n);
    int *uses, one = 1;
    cudaGraph_t graph;
    cudaGraphExec_t exec;

    MUST(cudaMalloc(&uses, sizeof *uses));
    MUST(cudaMemset(uses, 0, sizeof *uses));
    MUST(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    for (int i = 0; i < 4; i++)
        shift_by<<<blocks, threads, 0, stream>>>(x, x, other.data(), uses);
    MUST(cudaStreamEndCapture(stream, &graph));
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    for (int k = 0; k < 20; k++) {
        MUST(cudaGraphLaunch(exec, stream));
        for (int i = 0; i < 4; i++)
            shift_on_host(0);
    }
    check("before it is registered");
    MUST(cudaHostRegister(other.data(), n * sizeof(int), 0));
    MUST(cudaMemcpy(uses, &one, sizeof one, cudaMemcpyHostToDevice));
    MUST(cudaGraphLaunch(exec, stream));
    MUST(cudaStreamSynchronize(stream));
    for (int i = 0; i < 4; i++)
        shift_on_host(1);
    check("registered");
    for (int i = 0; i < n; i++)
        if (other[i] != (unsigned)i) {
            printf("registered: element %d is %u\n", i, other[i]);
            break;
        }
    MUST(cudaHostUnregister(other.data()));
    MUST(cudaFree(uses));
    MUST(cudaGraphExecDestroy(exec));
    MUST(cudaGraphDestroy(graph));
}

/* An array of the graph is freed, and another one takes its address. */
static void reallocated()
{
    cudaGraphExec_t exec = made(1);
    unsigned *was = y;

    launch(exec, 1, 20);
    MUST(cudaFree(y));
    MUST(cudaMalloc(&y, n * sizeof *y));
    if (y == was)
        launch(exec, 1, 20);
    check("another array");
    MUST(cudaGraphExecDestroy(exec));
}

/* Host memory that kernels and the host both change. */
static void shared(unsigned *memory, const char *name)
{
    unsigned *device = x;
    cudaGraphExec_t exec;

    memcpy(memory, expected.data(), n * sizeof(int));
    x = memory;
    exec = made(1);
    for (int i = 0; i < 12; i++) {
        launch(exec, 1, 2);
        MUST(cudaStreamSynchronize(stream));
        for (int k = 0; k < n; k++)
            if (memory[k] != expected[k]) {
                printf("%s: element %d is %u, not %u\n", name, k, memory[k], expected[k]);
                break;
            }
        memory[0] = expected[0] = i;
        memory[n - 1] = expected[n - 1] = 2 * i;
    }
    MUST(cudaGraphExecDestroy(exec));
    x = device;
    MUST(cudaMemcpy(x, expected.data(), n * sizeof(int), cudaMemcpyHostToDevice));
}

static void managed()
{
    unsigned *memory;

    MUST(cudaMallocManaged(&memory, n * sizeof *memory));
    shared(memory, "managed");
    MUST(cudaFree(memory));
}

static void pinned()
{
    unsigned *memory;

    MUST(cudaMallocHost(&memory, n * sizeof *memory));
    shared(memory, "pinned");
    MUST(cudaFreeHost(memory));
}

static void registered()
{
    std::vector<unsigned> memory(n);

    MUST(cudaHostRegister(memory.data(), n * sizeof(int), 0));
    shared(memory.data(), "registered");
    MUST(cudaHostUnregister(memory.data()));
}

static const replay_case cases[] = {
    {"outside", outside},
    {"variables", variables},
    {"variable_set", variable_set},
    {"registered_later", registered_later},
    {"reallocated", reallocated},
    {"managed", managed},
    {"pinned", pinned},
    {"registered", registered},
};

int main(int count, char **names)
{
    return run_cases(cases, count, names);
}
