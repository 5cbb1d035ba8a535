/* SPDX-License-Identifier: Apache-2.0 */
/* Graph nodes that record events, copy variables, or have any kind. */
#include "check.cuh"

static const int n = 256;
static __device__ int table[4];

__global__ void add(int *x, int by)
{
    x[threadIdx.x] += by + table[1];
}

static void count(void *counter)
{
    ++*(int *)counter;
}

static int first_of(const int *x)
{
    int host[n];

    MUST(cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 1; i < n; i++)
        HOLDS(host[i] == host[0]);
    return host[0];
}

static cudaGraphNodeType type_of(cudaGraphNode_t node)
{
    cudaGraphNodeType type;

    MUST(cudaGraphNodeGetType(node, &type));
    return type;
}

static void launch(cudaGraphExec_t exec, int times)
{
    for (int i = 0; i < times; i++)
        MUST(cudaGraphLaunch(exec, 0));
    MUST(cudaDeviceSynchronize());
}

static cudaKernelNodeParams kernel_of(void **args)
{
    cudaKernelNodeParams k = {};

    k.func = (void *)add;
    k.gridDim = 1;
    k.blockDim = n;
    k.kernelParams = args;
    return k;
}

static void symbols(int *x)
{
    int in[2] = {7, 8}, other[2] = {70, 80}, out[2] = {0, 0}, by = 1;
    void *args[] = {&x, &by};
    const cudaKernelNodeParams kernel = kernel_of(args);
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t write, call, read;

    MUST(cudaMemset(x, 0, n * sizeof *x));
    MUST(cudaGraphCreate(&graph, 0));
    MUST(cudaGraphAddMemcpyNodeToSymbol(&write, graph, NULL, 0, table, in, sizeof in,
                                        sizeof *in, cudaMemcpyHostToDevice));
    MUST(cudaGraphAddKernelNode(&call, graph, &write, 1, &kernel));
    MUST(cudaGraphAddMemcpyNodeFromSymbol(&read, graph, &call, 1, out, table, sizeof out,
                                          sizeof *out, cudaMemcpyDeviceToHost));
    HOLDS(type_of(write) == cudaGraphNodeTypeMemcpy);
    HOLDS(type_of(read) == cudaGraphNodeTypeMemcpy);
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    launch(exec, 4);
    printf("symbols: %d, %d %d\n", first_of(x), out[0], out[1]);
    MUST(cudaGraphExecMemcpyNodeSetParamsToSymbol(exec, write, table, other, sizeof other,
                                                  sizeof *other, cudaMemcpyHostToDevice));
    MUST(cudaGraphExecMemcpyNodeSetParamsFromSymbol(
        exec, read, out, table, sizeof *out, 2 * sizeof *out, cudaMemcpyDeviceToHost));
    launch(exec, 1);
    printf("changed: %d, %d %d\n", first_of(x), out[0], out[1]);
    MUST(cudaGraphMemcpyNodeSetParamsToSymbol(write, table, in, sizeof in, 0,
                                              cudaMemcpyHostToDevice));
    MUST(cudaGraphMemcpyNodeSetParamsFromSymbol(read, out, table, sizeof out, 0,
                                                cudaMemcpyDeviceToHost));
    MUST(cudaGraphExecDestroy(exec));
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    launch(exec, 1);
    printf("in the graph: %d, %d %d\n", first_of(x), out[0], out[1]);
    MUST(cudaGraphExecDestroy(exec));
    MUST(cudaGraphDestroy(graph));
}

static void events(int *x)
{
    int by = 1;
    void *args[] = {&x, &by};
    const cudaKernelNodeParams kernel = kernel_of(args);
    cudaEvent_t begin, end, other, found;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t nodes[4];
    float ms = 0;

    MUST(cudaEventCreate(&begin));
    MUST(cudaEventCreate(&end));
    MUST(cudaEventCreate(&other));
    MUST(cudaGraphCreate(&graph, 0));
    MUST(cudaGraphAddEventWaitNode(&nodes[0], graph, NULL, 0, other));
    MUST(cudaGraphAddEventRecordNode(&nodes[1], graph, &nodes[0], 1, begin));
    MUST(cudaGraphAddKernelNode(&nodes[2], graph, &nodes[1], 1, &kernel));
    MUST(cudaGraphAddEventRecordNode(&nodes[3], graph, &nodes[2], 1, other));
    HOLDS(type_of(nodes[0]) == cudaGraphNodeTypeWaitEvent);
    HOLDS(type_of(nodes[3]) == cudaGraphNodeTypeEventRecord);
    MUST(cudaGraphEventRecordNodeSetEvent(nodes[3], end));
    MUST(cudaGraphEventRecordNodeGetEvent(nodes[3], &found));
    HOLDS(found == end);
    MUST(cudaGraphEventWaitNodeSetEvent(nodes[0], other));
    MUST(cudaGraphEventWaitNodeGetEvent(nodes[0], &found));
    HOLDS(found == other);
    printf("another kind: %s\n",
           cudaGetErrorName(cudaGraphEventWaitNodeSetEvent(nodes[1], end)));
    cudaGetLastError();
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    printf("before: %s\n", cudaGetErrorName(cudaEventElapsedTime(&ms, begin, end)));
    cudaGetLastError();
    launch(exec, 4);
    MUST(cudaEventElapsedTime(&ms, begin, end));
    HOLDS(ms > 0);
    MUST(cudaGraphExecEventRecordNodeSetEvent(exec, nodes[3], other));
    MUST(cudaGraphExecEventWaitNodeSetEvent(exec, nodes[0], end));
    launch(exec, 1);
    MUST(cudaEventElapsedTime(&ms, begin, other));
    HOLDS(ms > 0);
    MUST(cudaEventDestroy(other));
    printf("gone: %s\n", cudaGetErrorName(cudaGraphLaunch(exec, 0)));
    cudaGetLastError();
    MUST(cudaGraphExecDestroy(exec));
    MUST(cudaGraphDestroy(graph));
    MUST(cudaEventDestroy(begin));
    MUST(cudaEventDestroy(end));
}

static cudaGraphNode_t added(cudaGraph_t graph, const cudaGraphNode_t *after,
                             cudaGraphNodeParams p)
{
    cudaGraphNode_t node;

    MUST(cudaGraphAddNode(&node, graph, after, NULL, after != NULL, &p));
    HOLDS(type_of(node) == p.type);
    return node;
}

static void of_any_kind(int *x)
{
    int by = 1, called = 0, out = 0;
    void *args[] = {&x, &by};
    cudaGraph_t graph, child;
    cudaGraphExec_t exec;
    cudaGraphNodeParams p = {};

    MUST(cudaGraphCreate(&graph, 0));
    MUST(cudaGraphCreate(&child, 0));
    p.type = cudaGraphNodeTypeMemset;
    p.memset.dst = x;
    p.memset.value = 0x01010101;
    p.memset.elementSize = 4;
    p.memset.width = n;
    p.memset.height = 1;
    cudaGraphNode_t fill = added(graph, NULL, p);

    p = {};
    p.type = cudaGraphNodeTypeKernel;
    p.kernel.func = (void *)add;
    p.kernel.gridDim = 1;
    p.kernel.blockDim = n;
    p.kernel.kernelParams = args;
    cudaGraphNode_t call = added(graph, &fill, p);

    added(child, NULL, p);
    p = {};
    p.type = cudaGraphNodeTypeGraph;
    p.graph.graph = child;
    cudaGraphNode_t inner = added(graph, &call, p);

    p = {};
    p.type = cudaGraphNodeTypeMemcpy;
    p.memcpy.copyParams.srcPtr = make_cudaPitchedPtr(x, sizeof *x, sizeof *x, 1);
    p.memcpy.copyParams.dstPtr = make_cudaPitchedPtr(&out, sizeof out, sizeof out, 1);
    p.memcpy.copyParams.extent = make_cudaExtent(sizeof out, 1, 1);
    p.memcpy.copyParams.kind = cudaMemcpyDeviceToHost;
    cudaGraphNode_t copy = added(graph, &inner, p);

    p = {};
    p.type = cudaGraphNodeTypeHost;
    p.host.fn = count;
    p.host.userData = &called;
    cudaGraphNode_t host = added(graph, &copy, p);

    p = {};
    p.type = cudaGraphNodeTypeEmpty;
    added(graph, &host, p);
    MUST(cudaMemset(x, 0, n * sizeof *x));
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    launch(exec, 5);
    printf("any kind: %d, %d calls\n", out - 0x01010101, called);
    by = 100;
    p = {};
    p.type = cudaGraphNodeTypeKernel;
    p.kernel.func = (void *)add;
    p.kernel.gridDim = 1;
    p.kernel.blockDim = n;
    p.kernel.kernelParams = args;
    MUST(cudaGraphExecNodeSetParams(exec, call, &p));
    launch(exec, 1);
    printf("changed: %d, %d calls\n", out - 0x01010101, called);
    MUST(cudaGraphNodeSetParams(call, &p));
    MUST(cudaGraphExecDestroy(exec));
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    launch(exec, 1);
    printf("in the graph: %d, %d calls\n", out - 0x01010101, called);
    MUST(cudaGraphExecDestroy(exec));
    MUST(cudaGraphDestroy(child));
    MUST(cudaGraphDestroy(graph));
}

int main(void)
{
    int *x;

    MUST(cudaMalloc(&x, n * sizeof *x));
    symbols(x);
    events(x);
    of_any_kind(x);
    return 0;
}
