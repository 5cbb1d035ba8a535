/* SPDX-License-Identifier: Apache-2.0 */
/* Launches with clusters of CTAs: by attribute, by compile-time size, and from graphs;
   queries and refusals. */
#include <cooperative_groups.h>

#include "check.cuh"

namespace cg = cooperative_groups;

static const int ctas = 16;

/* Each CTA stores the sum over its cluster and the number of CTAs in it. */
__device__ static void tell(int *out)
{
    __shared__ int mine;
    cg::cluster_group cluster = cg::this_cluster();
    int sum = 0;

    if (threadIdx.x == 0)
        mine = blockIdx.x + 1;
    cluster.sync();
    for (unsigned r = 0; r < cluster.num_blocks(); r++)
        sum += *cluster.map_shared_rank(&mine, r);
    if (threadIdx.x == 0)
        out[blockIdx.x] = 1000 * cluster.num_blocks() + sum;
    cluster.sync();
}

__global__ void freely(int *out)
{
    tell(out);
}

__global__ void __cluster_dims__(4, 1, 1) four(int *out)
{
    tell(out);
}

__global__ void plain(int *out)
{
    out[blockIdx.x] = blockIdx.x;
}

static void look(const char *what, const int *out, int cluster)
{
    int is[ctas];

    MUST(cudaMemcpy(is, out, sizeof is, cudaMemcpyDeviceToHost));
    for (int i = 0; i < ctas; i++) {
        int first = i / cluster * cluster + 1;

        HOLDS(is[i] == 1000 * cluster + cluster * first + cluster * (cluster - 1) / 2);
    }
    printf("%s: %d\n", what, is[ctas - 1]);
    MUST(cudaMemset((void *)out, 0, sizeof is));
}

static cudaLaunchAttribute cluster_of(int x)
{
    cudaLaunchAttribute a = {};

    a.id = cudaLaunchAttributeClusterDimension;
    a.val.clusterDim.x = x;
    a.val.clusterDim.y = a.val.clusterDim.z = 1;
    return a;
}

static cudaError_t launch(void (*kernel)(int *), int *out, int x, int grid = ctas,
                          cudaStream_t stream = 0)
{
    cudaLaunchAttribute a = cluster_of(x);
    cudaLaunchConfig_t config = {};

    config.gridDim = grid;
    config.blockDim = 64;
    config.stream = stream;
    config.attrs = &a;
    config.numAttrs = 1;
    return cudaLaunchKernelEx(&config, kernel, out);
}

static void report(const char *what, cudaError_t error)
{
    printf("%s: %s\n", what, cudaGetErrorName(error));
    cudaGetLastError();
}

static void launches(int *out)
{
    MUST(launch(freely, out, 2));
    look("by attribute", out, 2);
    four<<<ctas, 64>>>(out);
    MUST(cudaGetLastError());
    look("as built", out, 4);
    MUST(launch(four, out, 4));
    look("both", out, 4);
    freely<<<ctas, 64>>>(out);
    look("in none", out, 1);
    report("no multiple", launch(freely, out, 3));
    report("too many", launch(freely, out, 16));
    report("none at all", launch(freely, out, 0));
    report("others than built", launch(four, out, 2));
    four<<<ctas + 1, 64>>>(out);
    report("no multiple of what was built", cudaGetLastError());
    MUST(launch(plain, out, 8));
    MUST(cudaDeviceSynchronize());
    MUST(cudaMemset(out, 0, ctas * sizeof *out));
}

static void attributes(int *out)
{
    const void *stub = (const void *)freely;
    cudaFuncAttributes is;

    MUST(cudaFuncGetAttributes(&is, four));
    HOLDS(is.requiredClusterWidth == 4 && is.requiredClusterHeight == 1 &&
          is.requiredClusterDepth == 1);
    report("to change what was built",
        cudaFuncSetAttribute((const void *)four, cudaFuncAttributeRequiredClusterWidth, 2));
    MUST(cudaFuncSetAttribute(stub, cudaFuncAttributeRequiredClusterWidth, 8));
    MUST(cudaFuncSetAttribute(stub, cudaFuncAttributeRequiredClusterHeight, 1));
    MUST(cudaFuncSetAttribute(stub, cudaFuncAttributeRequiredClusterDepth, 1));
    MUST(cudaFuncGetAttributes(&is, stub));
    HOLDS(is.requiredClusterWidth == 8 && !is.nonPortableClusterSizeAllowed);
    freely<<<ctas, 64>>>(out);
    look("as set", out, 8);
    for (int a = cudaFuncAttributeRequiredClusterWidth;
         a <= cudaFuncAttributeRequiredClusterDepth; a++)
        MUST(cudaFuncSetAttribute(stub, (cudaFuncAttribute)a, 0));
    MUST(cudaFuncSetAttribute(stub, cudaFuncAttributeClusterDimMustBeSet, 1));
    freely<<<ctas, 64>>>(out);
    report("must be set", cudaGetLastError());
    MUST(cudaFuncSetAttribute(stub, cudaFuncAttributeClusterDimMustBeSet, 0));
    MUST(cudaFuncSetAttribute(stub, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    MUST(cudaFuncGetAttributes(&is, stub));
    HOLDS(is.nonPortableClusterSizeAllowed == 1);
    MUST(launch(freely, out, 16));
    look("all in one", out, 16);
    MUST(cudaFuncSetAttribute(stub, cudaFuncAttributeNonPortableClusterSizeAllowed, 0));
}

static void occupancy()
{
    cudaLaunchAttribute two = cluster_of(2);
    cudaLaunchConfig_t config = {};
    int clusters, size, has, sms, ctas_a_sm;

    config.gridDim = ctas;
    config.blockDim = 64;
    MUST(cudaDeviceGetAttribute(&has, cudaDevAttrClusterLaunch, 0));
    MUST(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    MUST(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&ctas_a_sm, freely, 64, 0));
    MUST(cudaOccupancyMaxPotentialClusterSize(&size, freely, &config));
    HOLDS(size == (has ? 8 : 1));
    MUST(cudaOccupancyMaxPotentialClusterSize(&size, four, &config));
    HOLDS(size == 4);
    report("of no clusters", cudaOccupancyMaxActiveClusters(&clusters, freely, &config));
    MUST(cudaOccupancyMaxActiveClusters(&clusters, four, &config));
    HOLDS(clusters == sms * ctas_a_sm / 4);
    config.attrs = &two;
    config.numAttrs = 1;
    MUST(cudaOccupancyMaxActiveClusters(&clusters, freely, &config));
    HOLDS(clusters == sms * ctas_a_sm / 2);
    report("of others", cudaOccupancyMaxActiveClusters(&clusters, four, &config));
}

static void run(cudaGraph_t graph, const char *what, int *out, int cluster)
{
    cudaGraphExec_t exec;

    MUST(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 2; i++) {
        MUST(cudaGraphLaunch(exec, 0));
        look(what, out, cluster);
    }
    MUST(cudaGraphExecDestroy(exec));
}

static void graphs(int *out)
{
    cudaLaunchAttribute a = cluster_of(2), is = {};
    cudaKernelNodeParams node = {};
    cudaStream_t stream;
    cudaGraphNode_t first, second;
    cudaGraph_t graph;
    void *args[] = {&out};

    MUST(cudaStreamCreate(&stream));
    MUST(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    MUST(launch(freely, out, 8, ctas, stream));
    MUST(cudaStreamEndCapture(stream, &graph));
    run(graph, "captured", out, 8);
    MUST(cudaGraphDestroy(graph));
    MUST(cudaStreamDestroy(stream));
    MUST(cudaGraphCreate(&graph, 0));
    node.func = (void *)freely;
    node.gridDim = ctas;
    node.blockDim = 64;
    node.kernelParams = args;
    MUST(cudaGraphAddKernelNode(&first, graph, 0, 0, &node));
    run(graph, "a node", out, 1);
    MUST(cudaGraphKernelNodeSetAttribute(first, a.id, &a.val));
    run(graph, "a node in clusters", out, 2);
    node.blockDim = 32;
    MUST(cudaGraphKernelNodeSetParams(first, &node));
    run(graph, "with other parameters", out, 2);
    MUST(cudaGraphKernelNodeGetAttribute(first, a.id, &is.val));
    HOLDS(is.val.clusterDim.x == 2 && is.val.clusterDim.z == 1);
    a = cluster_of(3);
    report("no multiple, of a node", cudaGraphKernelNodeSetAttribute(first, a.id, &a.val));
    MUST(cudaGraphAddKernelNode(&second, graph, &first, 1, &node));
    MUST(cudaGraphKernelNodeCopyAttributes(second, first));
    MUST(cudaGraphDestroyNode(first));
    run(graph, "a copy of it", out, 2);
    MUST(cudaGraphDestroy(graph));
}

int main()
{
    int *out;

    MUST(cudaMalloc(&out, ctas * sizeof *out));
    launches(out);
    attributes(out);
    occupancy();
    graphs(out);
    return 0;
}
