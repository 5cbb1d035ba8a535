/* SPDX-License-Identifier: Apache-2.0 */
/* Captured and explicit graphs have the effect of the calls. */
#include "check.cuh"

static const int n = 1000, threads = 128, blocks = (n + threads - 1) / threads;
static __constant__ int step;

__global__ void add_number(int *x, int number)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        x[i] += number + step;
}

__global__ void add_array(int *to, const int *from)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        to[i] += from[i];
}

static void count_up(void *counter)
{
    ++*(int *)counter;
}

static int host[n], called;

static int first_of(const int *x)
{
    MUST(cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 1; i < n; i++)
        if (host[i] != host[0])
            printf("element %d is %d, the first %d\n", i, host[i], host[0]);
    return host[0];
}

/* Two streams: the second one joins the capture when it waits for the first. */
static void capture(cudaStream_t a, cudaStream_t b, int *x, int *y, int number,
                    cudaGraph_t *graph)
{
    static int one = 1;
    cudaStreamCaptureStatus status;
    cudaEvent_t fork, join;

    MUST(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
    MUST(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
    MUST(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
    MUST(cudaMemcpyToSymbolAsync(step, &one, sizeof one, 0, cudaMemcpyHostToDevice, a));
    MUST(cudaMemsetAsync(y, 0, n * sizeof *y, a));
    MUST(cudaEventRecord(fork, a));
    MUST(cudaStreamWaitEvent(b, fork));
    MUST(cudaStreamIsCapturing(b, &status));
    printf("the other stream is %s\n",
           status == cudaStreamCaptureStatusActive ? "captured" : "free");
    add_number<<<blocks, threads, 0, a>>>(x, number);
    number = -1; /* the parameters were copied */
    add_number<<<blocks, threads, 0, b>>>(y, 10);
    MUST(cudaEventRecord(join, b));
    MUST(cudaStreamWaitEvent(a, join));
    add_array<<<blocks, threads, 0, a>>>(x, y);
    MUST(cudaLaunchHostFunc(a, count_up, &called));
    MUST(cudaStreamEndCapture(a, graph));
    MUST(cudaStreamIsCapturing(b, &status));
    printf("the other stream is %s\n",
           status == cudaStreamCaptureStatusActive ? "captured" : "free");
    MUST(cudaEventDestroy(fork));
    MUST(cudaEventDestroy(join));
}

static void captured(int *x, int *y)
{
    cudaStream_t a, b;
    cudaGraph_t graph, other;
    cudaGraphExec_t exec;
    cudaGraphExecUpdateResultInfo result;
    size_t count = 0;

    MUST(cudaStreamCreate(&a));
    MUST(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    capture(a, b, x, y, 100, &graph);
    printf("nothing ran: %d %d, %d calls\n", first_of(x), first_of(y), called);
    MUST(cudaGraphGetNodes(graph, NULL, &count));
    printf("%d nodes\n", (int)count);
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    MUST(cudaGraphDestroy(graph));
    for (int i = 0; i < 3; i++)
        MUST(cudaGraphLaunch(exec, a));
    MUST(cudaStreamSynchronize(a));
    printf("three times: %d %d, %d calls\n", first_of(x), first_of(y), called);
    capture(a, b, x, y, 5000, &other);
    MUST(cudaGraphExecUpdate(exec, other, &result));
    MUST(cudaGraphLaunch(exec, b));
    printf("updated: %d %d\n", first_of(x), first_of(y));
    MUST(cudaStreamBeginCapture(a, cudaStreamCaptureModeRelaxed));
    MUST(cudaGraphLaunch(exec, a));
    MUST(cudaGraphLaunch(exec, a));
    MUST(cudaStreamEndCapture(a, &graph));
    printf("another shape: %s\n",
           cudaGetErrorName(cudaGraphExecUpdate(exec, graph, &result)));
    cudaGetLastError();
    MUST(cudaGraphExecDestroy(exec));
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    MUST(cudaGraphLaunch(exec, a));
    printf("of graphs: %d, %d calls\n", first_of(x), called);
    MUST(cudaGraphExecDestroy(exec));
    MUST(cudaGraphDestroy(graph));
    MUST(cudaGraphDestroy(other));
    MUST(cudaStreamDestroy(a));
    MUST(cudaStreamDestroy(b));
}

static void by_hand(int *x, int *y)
{
    int number = 7, back = 0;
    void *number_args[] = {&y, &number}, *array_args[] = {&x, &y};
    cudaKernelNodeParams kernel = {};
    cudaMemsetParams fill = {};
    cudaHostNodeParams host_call = {count_up, &called};
    cudaGraph_t graph, child;
    cudaGraphExecUpdateResultInfo result;
    cudaGraphNode_t copy, sum, add, filled, call, begin, inner;
    cudaGraphExec_t exec;

    fill.dst = y;
    fill.value = 0x01020304;
    fill.elementSize = 4;
    fill.width = n;
    fill.height = 1;
    kernel.func = (void *)add_array;
    kernel.gridDim = blocks;
    kernel.blockDim = threads;
    kernel.kernelParams = array_args;
    MUST(cudaGraphCreate(&graph, 0));
    MUST(cudaGraphAddMemcpyNode1D(&copy, graph, NULL, 0, &back, x, sizeof back,
                                  cudaMemcpyDeviceToHost));
    MUST(cudaGraphAddKernelNode(&sum, graph, NULL, 0, &kernel));
    kernel.func = (void *)add_number;
    kernel.kernelParams = number_args;
    MUST(cudaGraphAddKernelNode(&add, graph, NULL, 0, &kernel));
    MUST(cudaGraphAddMemsetNode(&filled, graph, NULL, 0, &fill));
    MUST(cudaGraphAddEmptyNode(&begin, graph, NULL, 0));
    /* Nodes were created in reverse order. */
    MUST(cudaGraphAddDependencies(graph, &sum, &copy, NULL, 1));
    MUST(cudaGraphAddDependencies(graph, &add, &sum, NULL, 1));
    MUST(cudaGraphAddDependencies(graph, &filled, &add, NULL, 1));
    MUST(cudaGraphAddDependencies(graph, &begin, &filled, NULL, 1));
    MUST(cudaGraphAddHostNode(&call, graph, &copy, 1, &host_call));
    MUST(cudaGraphCreate(&child, 0));
    MUST(cudaGraphAddHostNode(&inner, child, NULL, 0, &host_call));
    MUST(cudaGraphAddChildGraphNode(&inner, graph, &call, 1, child));
    MUST(cudaGraphDestroy(child));
    MUST(cudaMemset(x, 0, n * sizeof *x));
    called = 0;
    MUST(cudaGraphInstantiateWithFlags(&exec, graph, 0));
    MUST(cudaGraphLaunch(exec, 0));
    MUST(cudaGraphLaunch(exec, 0));
    MUST(cudaDeviceSynchronize());
    printf("by hand: %d %d, %d calls\n", back - 2 * 0x01020304, first_of(x) - back, called);
    number = 9;
    MUST(cudaGraphExecKernelNodeSetParams(exec, add, &kernel));
    fill.value = 0;
    MUST(cudaGraphExecMemsetNodeSetParams(exec, filled, &fill));
    MUST(cudaMemset(x, 0, n * sizeof *x));
    MUST(cudaGraphLaunch(exec, 0));
    MUST(cudaDeviceSynchronize());
    printf("changed: %d\n", back);
    MUST(cudaGraphMemsetNodeSetParams(filled, &fill));
    MUST(cudaGraphExecUpdate(exec, graph, &result));
    MUST(cudaGraphLaunch(exec, 0));
    MUST(cudaDeviceSynchronize());
    printf("as the graph has it: %d\n", back);
    MUST(cudaGraphAddDependencies(graph, &copy, &begin, NULL, 1));
    cudaGraphExec_t none;

    printf("in a circle: %s\n", cudaGetErrorName(cudaGraphInstantiate(&none, graph, 0)));
    cudaGetLastError();
    MUST(cudaGraphExecDestroy(exec));
    MUST(cudaGraphDestroy(graph));
}

static void launch(cudaGraphExec_t exec, cudaStream_t stream, int times)
{
    for (int i = 0; i < times; i++)
        MUST(cudaGraphLaunch(exec, stream));
}

/* Repeated until the graph is one launch; then the graph or its surroundings change. */
static void again_and_again(int *x, int *y)
{
    enum { TIMES = 6 };
    cudaGraph_t graph, other;
    cudaGraphExec_t exec;
    cudaGraphNode_t nodes[8];
    cudaGraphExecUpdateResultInfo result;
    cudaKernelNodeParams how = {};
    cudaStream_t stream, beside;
    size_t count = 8;
    int number = 5, two = 2, zero = 0, *z;
    void *args[] = {&x, &number};

    MUST(cudaStreamCreate(&stream));
    MUST(cudaStreamCreateWithFlags(&beside, cudaStreamNonBlocking));
    for (cudaGraph_t *g : {&graph, &other}) {
        MUST(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
        add_number<<<blocks, threads, 0, stream>>>(x, g == &graph ? 1 : 10);
        add_array<<<blocks, threads, 0, stream>>>(y, x);
        MUST(cudaMemcpyAsync(x, y, n * sizeof *x, cudaMemcpyDeviceToDevice, stream));
        MUST(cudaMemsetAsync(y, 0, n * sizeof *y, stream));
        MUST(cudaStreamEndCapture(stream, g));
    }
    MUST(cudaMemcpyToSymbol(step, &zero, sizeof zero));
    MUST(cudaMemset(x, 0, n * sizeof *x));
    MUST(cudaMemset(y, 0, n * sizeof *y));
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    MUST(cudaGraphGetNodes(graph, nodes, &count));
    launch(exec, stream, TIMES);
    printf("again: %d", first_of(x));
    MUST(cudaMemcpyToSymbol(step, &two, sizeof two));
    launch(exec, stream, TIMES);
    printf(" %d", first_of(x));
    MUST(cudaMemcpyToSymbol(step, &zero, sizeof zero));
    how.func = (void *)add_number;
    how.gridDim = dim3(blocks), how.blockDim = dim3(threads);
    how.kernelParams = args;
    MUST(cudaGraphExecKernelNodeSetParams(exec, nodes[0], &how));
    launch(exec, stream, TIMES);
    printf(" %d", first_of(x));
    MUST(cudaGraphExecUpdate(exec, other, &result));
    launch(exec, stream, TIMES);
    printf(" %d", first_of(x));
    MUST(cudaGraphNodeSetEnabled(exec, nodes[0], 0));
    launch(exec, stream, TIMES);
    MUST(cudaGraphNodeSetEnabled(exec, nodes[0], 1));
    printf(" %d", first_of(x));
    MUST(cudaMalloc(&z, n * sizeof *z));
    MUST(cudaMemset(z, 0, n * sizeof *z));
    for (int i = 0; i < TIMES; i++) { /* before it, after it, and in another stream */
        add_number<<<blocks, threads, 0, stream>>>(x, 100);
        launch(exec, stream, 1);
        add_array<<<blocks, threads, 0, stream>>>(z, x);
        MUST(cudaStreamSynchronize(stream));
        add_number<<<blocks, threads, 0, beside>>>(z, 1);
        MUST(cudaStreamSynchronize(beside));
    }
    printf(" %d", first_of(x));
    printf(" %d\n", first_of(z));
    MUST(cudaFree(z));
    MUST(cudaGraphExecDestroy(exec));
    MUST(cudaGraphDestroy(graph));
    MUST(cudaGraphDestroy(other));
    MUST(cudaStreamDestroy(stream));
    MUST(cudaStreamDestroy(beside));
}

static void broken(int *x)
{
    cudaStream_t a;
    cudaGraph_t graph;

    MUST(cudaStreamCreate(&a));
    MUST(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
    MUST(cudaMemsetAsync(x, 0, n * sizeof *x, a));
    printf("to wait for it: %s\n", cudaGetErrorName(cudaStreamSynchronize(a)));
    printf("to end it then: %s\n", cudaGetErrorName(cudaStreamEndCapture(a, &graph)));
    printf("without a beginning: %s\n", cudaGetErrorName(cudaStreamEndCapture(a, &graph)));
    cudaGetLastError();
    MUST(cudaStreamSynchronize(a));
    MUST(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
    MUST(cudaStreamDestroy(a));
    MUST(cudaStreamCreate(&a));
    cudaStreamCaptureStatus status;

    MUST(cudaStreamIsCapturing(a, &status));
    printf("destroyed: cudaStreamCaptureStatus%s\n",
           status == cudaStreamCaptureStatusNone ? "None" : "Active");
    MUST(cudaStreamDestroy(a));
}

static void fork_to(cudaStream_t from, cudaStream_t to)
{
    cudaEvent_t event;

    MUST(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    MUST(cudaEventRecord(event, from));
    MUST(cudaStreamWaitEvent(to, event));
    MUST(cudaEventDestroy(event));
}

/* The end of a capture in `a`: no graph after an error, and no stream is captured. */
static void end_of(const char *what, cudaStream_t a, cudaStream_t b)
{
    cudaGraph_t graph = nullptr;
    cudaStreamCaptureStatus status;
    cudaError_t error = cudaStreamEndCapture(a, &graph);

    cudaGetLastError();
    printf("%s: %s\n", what, cudaGetErrorName(error));
    HOLDS(!graph == (error != cudaSuccess));
    if (graph)
        MUST(cudaGraphDestroy(graph));
    for (cudaStream_t s : {a, b}) {
        MUST(cudaStreamIsCapturing(s, &status));
        HOLDS(status == cudaStreamCaptureStatusNone);
    }
}

/* Work of another stream must precede the end of the capture, by events. */
static void unjoined(int *x)
{
    cudaStream_t a, b, c;
    cudaEvent_t event;

    MUST(cudaEventCreate(&event));
    for (cudaStream_t *s : {&a, &b, &c})
        MUST(cudaStreamCreate(s));
    MUST(cudaStreamBeginCapture(a, cudaStreamCaptureModeRelaxed));
    fork_to(a, b);
    add_number<<<blocks, threads, 0, b>>>(x, 1);
    end_of("a fork", a, b);
    MUST(cudaStreamBeginCapture(a, cudaStreamCaptureModeRelaxed));
    fork_to(a, b);
    fork_to(b, c);
    add_number<<<blocks, threads, 0, c>>>(x, 1);
    fork_to(c, b);
    add_number<<<blocks, threads, 0, b>>>(x, 1);
    fork_to(b, a);
    end_of("joined through another", a, b);
    MUST(cudaStreamBeginCapture(a, cudaStreamCaptureModeRelaxed));
    fork_to(a, b);
    add_number<<<blocks, threads, 0, b>>>(x, 1);
    fork_to(b, a);
    MUST(cudaMemsetAsync(x, 0, n * sizeof *x, b));
    end_of("work after the join", a, b);
    MUST(cudaStreamBeginCapture(a, cudaStreamCaptureModeRelaxed));
    fork_to(a, b);
    add_number<<<blocks, threads, 0, b>>>(x, 1);
    fork_to(b, c);
    add_number<<<blocks, threads, 0, c>>>(x, 1);
    fork_to(b, a);
    end_of("one of two", a, c);
    MUST(cudaStreamBeginCapture(a, cudaStreamCaptureModeRelaxed));
    MUST(cudaStreamBeginCapture(b, cudaStreamCaptureModeRelaxed));
    MUST(cudaEventRecord(event, a));
    printf("two captures: %s\n", cudaGetErrorName(cudaStreamWaitEvent(b, event)));
    cudaGetLastError();
    end_of("the second", b, c);
    end_of("the first", a, b);
    for (cudaStream_t s : {a, b, c})
        MUST(cudaStreamDestroy(s));
    MUST(cudaEventDestroy(event));
}

int main(void)
{
    int *x, *y;

    MUST(cudaMalloc(&x, n * sizeof *x));
    MUST(cudaMalloc(&y, n * sizeof *y));
    MUST(cudaMemset(x, 0, n * sizeof *x));
    MUST(cudaMemset(y, 0, n * sizeof *y));
    captured(x, y);
    by_hand(x, y);
    broken(x);
    unjoined(x);
    again_and_again(x, y);
    return 0;
}
