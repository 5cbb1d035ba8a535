/* SPDX-License-Identifier: Apache-2.0 */
/* Handles of streams, events and graphs that were never created or are destroyed: the call
   reports an error and has no effect. */
#include "check.cuh"

#define REFUSES(call, error)                                                               \
    do {                                                                                   \
        HOLDS((call) == (error));                                                          \
        HOLDS(cudaGetLastError() == (error));                                              \
    } while (0)
#define NO_HANDLE(call) REFUSES(call, cudaErrorInvalidResourceHandle)
#define NO_VALUE(call) REFUSES(call, cudaErrorInvalidValue)

__global__ void set(int *x, int to)
{
    *x = to;
}

static void never(void *called)
{
    *(bool *)called = true;
}

static void never_back(cudaStream_t, cudaError_t, void *called)
{
    *(bool *)called = true;
}

static void refuse_stream(cudaStream_t s, cudaEvent_t event, int *x)
{
    int host = 3, priority, device;
    unsigned flags;
    unsigned long long id;
    bool called = false;
    void *more = NULL;
    cudaGraph_t graph = NULL;
    cudaStreamCaptureStatus status;

    set<<<1, 1, 0, s>>>(x, 7);
    HOLDS(cudaGetLastError() == cudaErrorInvalidResourceHandle);
    NO_HANDLE(cudaMemcpyAsync(x, &host, sizeof host, cudaMemcpyHostToDevice, s));
    NO_HANDLE(cudaMemsetAsync(x, 1, sizeof host, s));
    NO_HANDLE(cudaMemcpy2DAsync(x, 4, &host, 4, 4, 1, cudaMemcpyHostToDevice, s));
    NO_HANDLE(cudaStreamSynchronize(s));
    NO_HANDLE(cudaStreamQuery(s));
    NO_HANDLE(cudaStreamDestroy(s));
    NO_HANDLE(cudaStreamWaitEvent(s, event));
    NO_HANDLE(cudaStreamGetFlags(s, &flags));
    NO_HANDLE(cudaStreamGetPriority(s, &priority));
    NO_HANDLE(cudaStreamGetId(s, &id));
    NO_HANDLE(cudaStreamGetDevice(s, &device));
    NO_HANDLE(cudaStreamAddCallback(s, never_back, &called, 0));
    NO_HANDLE(cudaStreamAttachMemAsync(s, x));
    NO_HANDLE(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    NO_HANDLE(cudaStreamEndCapture(s, &graph));
    NO_HANDLE(cudaStreamIsCapturing(s, &status));
    NO_HANDLE(cudaLaunchHostFunc(s, never, &called));
    NO_HANDLE(cudaEventRecord(event, s));
    NO_HANDLE(cudaMallocAsync(&more, 64, s));
    NO_HANDLE(cudaFreeAsync(x, s));
    HOLDS(!called && !more && !graph);
}

static void refuse_event(cudaEvent_t gone, cudaEvent_t event)
{
    float ms;

    NO_HANDLE(cudaEventRecord(gone, 0));
    NO_HANDLE(cudaEventQuery(gone));
    NO_HANDLE(cudaEventSynchronize(gone));
    NO_HANDLE(cudaStreamWaitEvent(0, gone));
    NO_HANDLE(cudaEventElapsedTime(&ms, gone, event));
    NO_HANDLE(cudaEventElapsedTime(&ms, event, gone));
    NO_HANDLE(cudaEventDestroy(gone));
}

static void refuse_graph(cudaGraph_t g, cudaGraphExec_t exec, cudaGraphNode_t node)
{
    cudaGraph_t copy;
    cudaGraphExec_t made;
    cudaGraphNode_t other;
    cudaGraphNodeType type;
    size_t count = 0;

    NO_VALUE(cudaGraphDestroy(g));
    NO_VALUE(cudaGraphClone(&copy, g));
    NO_VALUE(cudaGraphInstantiate(&made, g, 0));
    NO_VALUE(cudaGraphGetNodes(g, NULL, &count));
    NO_VALUE(cudaGraphAddEmptyNode(&other, g, NULL, 0));
    NO_VALUE(cudaGraphExecDestroy(exec));
    NO_VALUE(cudaGraphLaunch(exec, 0));
    NO_VALUE(cudaGraphUpload(exec, 0));
    NO_VALUE(cudaGraphNodeGetType(node, &type));
    NO_VALUE(cudaGraphDestroyNode(node));
}

int main(void)
{
    int *x, host = 0;
    cudaStream_t s, special[] = {0, cudaStreamLegacy, cudaStreamPerThread};
    cudaEvent_t event, gone;
    cudaGraph_t g, whole;
    cudaGraphExec_t exec;
    cudaGraphNode_t node, other;

    MUST(cudaMalloc(&x, 64));
    MUST(cudaEventCreate(&event));
    MUST(cudaEventCreate(&gone));
    MUST(cudaEventRecord(event));
    MUST(cudaStreamCreate(&s));
    set<<<1, 1, 0, s>>>(x, 5);
    MUST(cudaStreamDestroy(s));
    refuse_stream(s, event, x);
    refuse_stream((cudaStream_t)0x1234567812345678, event, x);
    refuse_stream((cudaStream_t)3, event, x);
    refuse_stream((cudaStream_t)&host, event, x);
    for (int i = 0; i < 3; i++) {
        MUST(cudaStreamSynchronize(special[i]));
        MUST(cudaEventRecord(event, special[i]));
    }
    MUST(cudaEventDestroy(gone));
    refuse_event(gone, event);
    refuse_event(NULL, event);
    refuse_event((cudaEvent_t)0x1234567812345678, event);
    refuse_event((cudaEvent_t)x, event);
    MUST(cudaGraphCreate(&g, 0));
    MUST(cudaGraphAddEmptyNode(&node, g, NULL, 0));
    MUST(cudaGraphInstantiate(&exec, g, 0));
    MUST(cudaGraphCreate(&whole, 0));
    NO_VALUE(cudaGraphAddEmptyNode(&other, whole, &node, 1));
    MUST(cudaGraphLaunch(exec, 0));
    NO_HANDLE(cudaGraphLaunch(exec, (cudaStream_t)99));
    MUST(cudaGraphExecDestroy(exec));
    MUST(cudaGraphDestroy(g));
    refuse_graph(g, exec, node);
    refuse_graph(NULL, NULL, NULL);
    refuse_graph((cudaGraph_t)0x1234567812345678, (cudaGraphExec_t)event,
                 (cudaGraphNode_t)whole);
    MUST(cudaGraphDestroy(whole));
    MUST(cudaMemcpy(&host, x, sizeof host, cudaMemcpyDeviceToHost));
    printf("what was set before: %d\n", host);
    return 0;
}
