/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of graphs, captured or by nodes, with the same address in each launch. */
#include "check.cuh"

#include <cstdint>

enum { COUNT = 1024 };

__global__ void add(int *x, int value)
{
    x[blockIdx.x * blockDim.x + threadIdx.x] += value;
}

static int sum(const int *x)
{
    static int host[COUNT];
    int total = 0;

    MUST(cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost));
    for (int value : host)
        total += value;
    return total;
}

static uint64_t bytes_of(cudaGraphMemAttributeType what)
{
    uint64_t bytes = 0;

    MUST(cudaDeviceGetGraphMemAttribute(0, what, &bytes));
    return bytes;
}

/* The program frees memory that the graph allocated and launches it again; then the graph
   is destroyed first. */
static void captured(cudaStream_t s)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    int *x;

    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    MUST(cudaMallocAsync(&x, COUNT * sizeof *x, s));
    MUST(cudaMemsetAsync(x, 0, COUNT * sizeof *x, s));
    add<<<COUNT / 128, 128, 0, s>>>(x, 3);
    MUST(cudaStreamEndCapture(s, &graph));
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    HOLDS(cudaFree(x) == cudaErrorInvalidValue); /* not allocated yet */
    for (int i = 0; i < 3; i++) {
        MUST(cudaGraphLaunch(exec, s));
        printf("%d\n", sum(x));
        if (i < 2)
            MUST(cudaFreeAsync(x, s));
    }
    MUST(cudaGraphDestroy(graph));
    MUST(cudaGraphExecDestroy(exec));
    printf("%d\n", sum(x));
    MUST(cudaFree(x));
    HOLDS(cudaFree(x) == cudaErrorInvalidValue);
    HOLDS(bytes_of(cudaGraphMemAttrReservedMemCurrent) == 0);
}

/* Allocation and free nodes; a cloned graph keeps the memory too. */
static void nodes(cudaStream_t s)
{
    cudaGraph_t graph, clone;
    cudaGraphExec_t exec;
    cudaGraphNode_t take, fill, use, give;
    cudaMemAllocNodeParams memory = {};
    int *out;

    MUST(cudaMalloc(&out, COUNT * sizeof *out));
    MUST(cudaGraphCreate(&graph, 0));
    memory.poolProps.allocType = cudaMemAllocationTypePinned;
    memory.poolProps.location = {cudaMemLocationTypeDevice, 3};
    memory.bytesize = COUNT * sizeof *out;
    HOLDS(cudaGraphAddMemAllocNode(&take, graph, nullptr, 0, &memory) != cudaSuccess);
    memory.poolProps.location.id = 0;
    MUST(cudaGraphAddMemAllocNode(&take, graph, nullptr, 0, &memory));
    int value = 5, *x = static_cast<int *>(memory.dptr);
    cudaMemsetParams zero = {};
    zero.dst = x;
    zero.elementSize = sizeof *x;
    zero.width = COUNT;
    zero.height = 1;
    MUST(cudaGraphAddMemsetNode(&fill, graph, &take, 1, &zero));
    void *args[] = {&x, &value};
    cudaKernelNodeParams kernel = {};
    kernel.func = (void *)add;
    kernel.gridDim = dim3(COUNT / 128);
    kernel.blockDim = dim3(128);
    kernel.kernelParams = args;
    MUST(cudaGraphAddKernelNode(&use, graph, &fill, 1, &kernel));
    MUST(cudaGraphAddMemcpyNode1D(&use, graph, &use, 1, out, x, COUNT * sizeof *x,
                                  cudaMemcpyDeviceToDevice));
    HOLDS(cudaGraphAddMemFreeNode(&give, graph, &use, 1, out) == cudaErrorInvalidValue);
    MUST(cudaGraphAddMemFreeNode(&give, graph, &use, 1, x));

    cudaGraphNodeType type;
    cudaMemAllocNodeParams info;
    void *freed;
    MUST(cudaGraphNodeGetType(take, &type));
    HOLDS(type == cudaGraphNodeTypeMemAlloc);
    MUST(cudaGraphNodeGetType(give, &type));
    HOLDS(type == cudaGraphNodeTypeMemFree);
    MUST(cudaGraphMemAllocNodeGetParams(take, &info));
    MUST(cudaGraphMemFreeNodeGetParams(give, &freed));
    HOLDS(info.dptr == x && info.bytesize == COUNT * sizeof *x && freed == x);

    MUST(cudaGraphClone(&clone, graph));
    MUST(cudaGraphDestroy(graph));
    MUST(cudaGraphInstantiate(&exec, clone, cudaGraphInstantiateFlagAutoFreeOnLaunch));
    for (int i = 0; i < 2; i++)
        MUST(cudaGraphLaunch(exec, s));
    printf("%d\n", sum(out));
    HOLDS(bytes_of(cudaGraphMemAttrUsedMemCurrent) == 0);
    HOLDS(bytes_of(cudaGraphMemAttrUsedMemHigh) == COUNT * sizeof *x);
    HOLDS(bytes_of(cudaGraphMemAttrReservedMemCurrent) == COUNT * sizeof *x);
    MUST(cudaGraphExecDestroy(exec));
    MUST(cudaGraphDestroy(clone));
    HOLDS(bytes_of(cudaGraphMemAttrReservedMemCurrent) == 0);
    uint64_t none = 0;
    MUST(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &none));
    HOLDS(bytes_of(cudaGraphMemAttrUsedMemHigh) == 0);
    MUST(cudaDeviceGraphMemTrim(0));
}

int main()
{
    cudaStream_t s;

    MUST(cudaStreamCreate(&s));
    captured(s);
    nodes(s);
}
