/* SPDX-License-Identifier: Apache-2.0 */
/* Queries and updates of graphs. */
#include "check.cuh"
#include <vector>

static const int n = 256;
static __device__ int table[4];

__global__ void add(int *x, int by, const int *from)
{
    x[threadIdx.x] += by + from[threadIdx.x];
}

static void count(void *counter)
{
    ++*(int *)counter;
}

typedef std::vector<cudaGraphNode_t> nodes;

static nodes roots_of(cudaGraph_t g)
{
    size_t many = 0;

    MUST(cudaGraphGetRootNodes(g, NULL, &many));
    nodes all(many);
    MUST(cudaGraphGetRootNodes(g, all.data(), &many));
    return all;
}

static nodes before(cudaGraphNode_t node)
{
    size_t many = 0;

    MUST(cudaGraphNodeGetDependencies(node, NULL, NULL, &many));
    nodes all(many);
    MUST(cudaGraphNodeGetDependencies(node, all.data(), NULL, &many));
    return all;
}

static nodes behind(cudaGraphNode_t node)
{
    size_t many = 0;

    MUST(cudaGraphNodeGetDependentNodes(node, NULL, NULL, &many));
    nodes all(many);
    MUST(cudaGraphNodeGetDependentNodes(node, all.data(), NULL, &many));
    return all;
}

static int first_of(const int *x)
{
    int host[n];

    MUST(cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 1; i < n; i++)
        if (host[i] != host[0])
            printf("element %d is %d, the first %d\n", i, host[i], host[0]);
    return host[0];
}

static void print_types(const char *what, cudaGraph_t g)
{
    static const char *const words[] = {"kernel", "copy", "fill", "host", "graph", "empty"};
    size_t many = 0;

    MUST(cudaGraphGetNodes(g, NULL, &many));
    nodes all(many);
    MUST(cudaGraphGetNodes(g, all.data(), &many));
    printf("%s:", what);
    for (size_t i = 0; i < many; i++) {
        cudaGraphNodeType type;

        MUST(cudaGraphNodeGetType(all[i], &type));
        printf(" %s", words[type]);
    }
    printf("\n");
}

/* A diamond: a fill, two kernels after it, and a copy after both. */
static void by_hand(int *x, int *y, int *z)
{
    cudaGraph_t g, copy, child;
    cudaGraphExec_t exec;
    cudaGraphNode_t fill, one, two, last, host, inner, found, from[8], to[8];
    cudaGraphEdgeData edges[8];
    cudaMemsetParams clear = {};
    cudaKernelNodeParams kernel = {}, info;
    cudaHostNodeParams call = {}, got_call;
    cudaMemsetParams got_clear;
    cudaMemcpy3DParms got_copy;
    int by = 3, called = 0;
    size_t many = 8;
    unsigned is_on;
    void *args[] = {&x, &by, &z};

    clear.dst = x;
    clear.elementSize = 4;
    clear.width = n;
    clear.height = 1;
    clear.pitch = n * 4;
    clear.value = 1000;
    kernel.func = (void *)add;
    kernel.gridDim = dim3(1);
    kernel.blockDim = dim3(n);
    kernel.kernelParams = args;
    call.fn = count;
    call.userData = &called;
    MUST(cudaGraphCreate(&g, 0));
    MUST(cudaGraphAddMemsetNode(&fill, g, NULL, 0, &clear));
    MUST(cudaGraphAddKernelNode(&one, g, &fill, 1, &kernel));
    by = 5;
    MUST(cudaGraphAddKernelNode(&two, g, &fill, 1, &kernel));
    MUST(
        cudaGraphAddMemcpyNode1D(&last, g, NULL, 0, y, x, n * 4, cudaMemcpyDeviceToDevice));
    MUST(cudaGraphAddHostNode(&host, g, NULL, 0, &call));
    from[0] = one, from[1] = two;
    to[0] = to[1] = last;
    MUST(cudaGraphAddDependencies(g, from, to, NULL, 2));
    HOLDS(cudaGraphAddDependencies(g, from, to, NULL, 1) == cudaErrorInvalidValue);
    print_types("by hand", g);
    HOLDS(roots_of(g) == (nodes{fill, host}));
    HOLDS(before(last) == (nodes{one, two}) && before(fill).empty());
    HOLDS(behind(fill) == (nodes{one, two}) && behind(last).empty());
    MUST(cudaGraphGetEdges(g, NULL, NULL, NULL, &many));
    HOLDS(many == 4);
    many = 8;
    memset(edges, 1, sizeof edges);
    MUST(cudaGraphGetEdges(g, from, to, edges, &many));
    HOLDS(many == 4 && from[0] == fill && to[0] == one && to[3] == last && !to[4]);
    HOLDS(edges[3].type == 0 && edges[3].to_port == 0 && edges[4].type == 1);
    many = 1;
    MUST(cudaGraphGetEdges(g, from, to, edges, &many));
    HOLDS(many == 1);

    MUST(cudaGraphKernelNodeGetParams(two, &info));
    HOLDS(info.func == (void *)add && info.blockDim.x == n && info.gridDim.z == 1);
    HOLDS(*(int **)info.kernelParams[0] == x && *(int *)info.kernelParams[1] == 5);
    MUST(cudaGraphMemsetNodeGetParams(fill, &got_clear));
    HOLDS(got_clear.dst == x && got_clear.value == 1000 && got_clear.elementSize == 4);
    MUST(cudaGraphMemcpyNodeGetParams(last, &got_copy));
    HOLDS(got_copy.dstPtr.ptr == y && got_copy.srcPtr.ptr == x);
    HOLDS(got_copy.extent.width == n * 4 && got_copy.extent.depth == 1);
    MUST(cudaGraphHostNodeGetParams(host, &got_call));
    HOLDS(got_call.fn == count && got_call.userData == &called);
    HOLDS(cudaGraphKernelNodeGetParams(fill, &info) == cudaErrorInvalidValue);
    HOLDS(cudaGraphHostNodeGetParams(one, &got_call) == cudaErrorInvalidValue);

    MUST(cudaGraphInstantiate(&exec, g, cudaGraphInstantiateFlagUseNodePriority));
    MUST(cudaGraphLaunch(exec, 0));
    printf("a diamond: %d, called %d times\n", first_of(y), called);
    /* The queried parameters are valid inputs. */
    MUST(cudaGraphKernelNodeGetParams(two, &info));
    *(int *)info.kernelParams[1] = 50;
    MUST(cudaGraphExecKernelNodeSetParams(exec, two, &info));
    got_copy.srcPtr.ptr = z;
    MUST(cudaGraphExecMemcpyNodeSetParams(exec, last, &got_copy));
    MUST(cudaGraphLaunch(exec, 0));
    printf("changed: %d and %d\n", first_of(x), first_of(y));
    MUST(cudaGraphNodeSetEnabled(exec, one, 0));
    MUST(cudaGraphNodeGetEnabled(exec, one, &is_on));
    HOLDS(!is_on);
    HOLDS(cudaGraphNodeSetEnabled(exec, host, 0) == cudaErrorInvalidValue);
    MUST(cudaGraphLaunch(exec, 0));
    printf("without one: %d\n", first_of(x));
    MUST(cudaGraphExecDestroy(exec));

    MUST(cudaGraphClone(&copy, g));
    MUST(cudaGraphNodeFindInClone(&found, last, copy));
    HOLDS(found != last && before(found).size() == 2 && behind(found).empty());
    HOLDS(roots_of(copy).size() == 2);
    from[0] = one, to[0] = last;
    MUST(cudaGraphRemoveDependencies(g, from, to, NULL, 1));
    HOLDS(cudaGraphRemoveDependencies(g, from, to, NULL, 1) == cudaErrorInvalidValue);
    HOLDS(before(last) == (nodes{two}) && before(found).size() == 2);
    MUST(cudaGraphDestroyNode(two));
    HOLDS(before(last).empty() && behind(fill) == (nodes{one}));
    HOLDS(cudaGraphNodeFindInClone(&found, fill, g) == cudaErrorInvalidValue);
    MUST(cudaGraphCreate(&child, 0));
    MUST(cudaGraphAddChildGraphNode(&inner, child, NULL, 0, g));
    MUST(cudaGraphDestroy(g));
    MUST(cudaGraphChildGraphNodeGetGraph(inner, &g));
    print_types("what is left", g);
    print_types("around it", child);
    MUST(cudaGraphInstantiate(&exec, child, 0));
    MUST(cudaGraphLaunch(exec, 0));
    printf("as a child: %d, called %d times\n", first_of(x), called);
    MUST(cudaGraphExecDestroy(exec));
    MUST(cudaGraphDestroy(child));
    MUST(cudaGraphDestroy(copy));
    while (cudaGetLastError())
        ;
}

/* Captured operations form a chain of nodes. */
static void captured(int *x, int *z)
{
    static int host[n], called;
    cudaStream_t s;
    cudaGraph_t g;
    cudaGraphExec_t exec;
    cudaGraphNode_t all[8];
    cudaKernelNodeParams kernel;
    cudaMemsetParams clear;
    cudaMemcpy3DParms copy;
    size_t many = 8;
    void *address;

    MUST(cudaStreamCreate(&s));
    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    MUST(cudaMemsetAsync(x, 1, n * 4, s));
    add<<<1, n, 0, s>>>(x, 7, z);
    MUST(cudaMemcpyAsync(host, x, n * 4, cudaMemcpyDeviceToHost, s));
    MUST(cudaMemcpyToSymbolAsync(table, host, 8, 4, cudaMemcpyHostToDevice, s));
    MUST(cudaLaunchHostFunc(s, count, &called));
    MUST(cudaStreamEndCapture(s, &g));
    print_types("captured", g);
    MUST(cudaGraphGetNodes(g, all, &many));
    HOLDS(many == 5 && roots_of(g) == (nodes{all[0]}));
    for (int i = 1; i < 5; i++)
        HOLDS(before(all[i]) == (nodes{all[i - 1]}));
    MUST(cudaGraphMemsetNodeGetParams(all[0], &clear));
    HOLDS(clear.dst == x && clear.value == 1 && clear.elementSize == 1);
    HOLDS(clear.width == n * 4 && clear.height == 1);
    clear.value = 0;
    MUST(cudaGraphMemsetNodeSetParams(all[0], &clear));
    MUST(cudaGraphKernelNodeGetParams(all[1], &kernel));
    HOLDS(*(int *)kernel.kernelParams[1] == 7);
    MUST(cudaGraphMemcpyNodeGetParams(all[2], &copy));
    HOLDS(copy.dstPtr.ptr == host && copy.kind == cudaMemcpyDeviceToHost);
    MUST(cudaGetSymbolAddress(&address, table));
    MUST(cudaGraphMemcpyNodeGetParams(all[3], &copy));
    HOLDS(copy.dstPtr.ptr == (char *)address + 4 && copy.extent.width == 8);
    MUST(cudaGraphInstantiate(&exec, g, 0));
    MUST(cudaGraphLaunch(exec, s));
    MUST(cudaStreamSynchronize(s));
    printf("captured, and changed: %d, called %d times\n", host[5], called);
    MUST(cudaGraphExecDestroy(exec));
    MUST(cudaGraphDestroy(g));
    MUST(cudaStreamDestroy(s));
}

int main(void)
{
    int *x, *y, *z, ones[n];

    for (int i = 0; i < n; i++)
        ones[i] = 1;
    MUST(cudaMalloc(&x, n * sizeof *x));
    MUST(cudaMalloc(&y, n * sizeof *y));
    MUST(cudaMalloc(&z, n * sizeof *z));
    MUST(cudaMemcpy(z, ones, sizeof ones, cudaMemcpyHostToDevice));
    by_hand(x, y, z);
    captured(x, z);
    return 0;
}
