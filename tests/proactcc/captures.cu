// SPDX-License-Identifier: Apache-2.0
/* Errors of stream captures. The expected output is that of CUDA 13.0 on an H200. The line
   about a missing graph is not verified there. */
#include "check.cuh"

#include <initializer_list>
#include <thread>

static int *a, *b;
static int host[4];
static cudaStream_t s, t,
    free_stream; /* the last one does not wait for the legacy stream */
static cudaEvent_t e, f;

__global__ void add(int *to)
{
    atomicAdd(to, 1);
}

static void show(const char *what, cudaError_t error)
{
    const cudaError_t last = cudaGetLastError();

    printf("%s: %s, then %s\n", what, cudaGetErrorName(error), cudaGetErrorName(last));
}

static const char *status_of(cudaStream_t of)
{
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    const cudaError_t error = cudaStreamIsCapturing(of, &status);

    cudaGetLastError();
    return error                                     ? cudaGetErrorName(error)
           : status == cudaStreamCaptureStatusNone   ? "none"
           : status == cudaStreamCaptureStatusActive ? "active"
                                                     : "invalidated";
}

static void begin(cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal)
{
    MUST(cudaStreamBeginCapture(s, mode));
    add<<<1, 1, 0, s>>>(a);
    MUST(cudaGetLastError());
}

/* Ends the capture. States whether a graph came of it. */
static void end(cudaStream_t of = nullptr)
{
    cudaGraph_t graph = (cudaGraph_t)8;

    printf("  capture %s; ", status_of(s));
    const cudaError_t error = cudaStreamEndCapture(of ? of : s, &graph),
                      last = cudaGetLastError();

    printf("end: %s, %s; ", cudaGetErrorName(error), graph ? "a graph" : "no graph");
    printf("then %s; ", cudaGetErrorName(last));
    printf("streams %s, %s\n", status_of(s), status_of(t));
    if (!error)
        MUST(cudaGraphDestroy(graph));
}

template <class F> static void within(const char *what, F call)
{
    begin();
    show(what, call());
    end();
}

template <class F> static void within_relaxed(const char *what, F call)
{
    begin(cudaStreamCaptureModeRelaxed);
    show(what, call());
    end();
}

static cudaError_t launch(cudaStream_t in)
{
    add<<<1, 1, 0, in>>>(b);
    return cudaPeekAtLastError();
}

static void of_the_stream()
{
    puts("calls that concern the capturing stream");
    within("synchronize", [] { return cudaStreamSynchronize(s); });
    within("query", [] { return cudaStreamQuery(s); });
    within("begin again",
           [] { return cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal); });
    within("launch", [] { return launch(s); });
    begin();
    MUST(cudaEventRecord(e, s));
    show("query a captured event", cudaEventQuery(e));
    end();
    begin();
    MUST(cudaEventRecord(e, s));
    show("synchronize with a captured event", cudaEventSynchronize(e));
    end();
    show("query it after the capture", cudaEventQuery(e));
    show("wait for it after the capture", cudaStreamWaitEvent(t, e, 0));
    MUST(cudaEventRecord(e, t));
    show("query it after a record", (cudaDeviceSynchronize(), cudaEventQuery(e)));
    begin();
    MUST(cudaEventRecord(e, s));
    float ms;
    show("elapsed time of captured events", cudaEventElapsedTime(&ms, f, e));
    end();
    begin();
    MUST(cudaEventRecordWithFlags(f, s, cudaEventRecordExternal));
    end();
    show("query an event that the graph records", cudaEventQuery(f));
}

static void of_the_device()
{
    puts("calls that concern all work");
    void *p = nullptr;

    within("device synchronize", [] { return cudaDeviceSynchronize(); });
    within_relaxed("device synchronize, relaxed", [] { return cudaDeviceSynchronize(); });
    within("launch in the legacy stream", [] { return launch(nullptr); });
    within_relaxed("launch in the legacy stream, relaxed", [] { return launch(nullptr); });
    within("launch in the stream of the thread",
           [] { return launch(cudaStreamPerThread); });
    within("record in the legacy stream", [] { return cudaEventRecord(f, nullptr); });
    within("wait in the legacy stream", [] { return cudaStreamWaitEvent(nullptr, f, 0); });
    within("query the legacy stream", [] { return cudaStreamQuery(nullptr); });
    within("synchronize with the legacy stream",
           [] { return cudaStreamSynchronize(nullptr); });
    within("copy", [] { return cudaMemcpy(host, b, 4, cudaMemcpyDeviceToHost); });
    within_relaxed("copy, relaxed",
                   [] { return cudaMemcpy(host, b, 4, cudaMemcpyDeviceToHost); });
    within("copy in the legacy stream",
           [] { return cudaMemcpyAsync(host, b, 4, cudaMemcpyDeviceToHost, nullptr); });
    within("fill", [] { return cudaMemset(b, 0, 4); });
    within_relaxed("fill, relaxed", [] { return cudaMemset(b, 0, 4); });
    within("allocate", [&] { return cudaMalloc(&p, 64); });
    within_relaxed("allocate, relaxed", [&] { return cudaMalloc(&p, 64); });
    MUST(cudaFree(p));
    p = nullptr;
    MUST(cudaMalloc(&p, 64));
    within("free", [&] { return cudaFree(p); });
    within("query an event", [] { return cudaEventQuery(f); });
    within("synchronize with an event", [] { return cudaEventSynchronize(f); });
    within("synchronize with another stream", [] { return cudaStreamSynchronize(t); });
    within("launch in another stream", [] { return launch(t); });
    within("create a stream", [] {
        cudaStream_t more = nullptr;
        const cudaError_t error = cudaStreamCreate(&more);

        return error ? error : cudaStreamDestroy(more);
    });
    MUST(cudaStreamBeginCapture(free_stream, cudaStreamCaptureModeGlobal));
    show("launch beside a stream that does not wait", launch(nullptr));
    show("copy beside a stream that does not wait",
         cudaMemcpyAsync(host, b, 4, cudaMemcpyDeviceToHost, nullptr));
    end(free_stream);
    show("capture of the legacy stream",
         cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal));
}

static void between_streams()
{
    puts("dependencies between streams");
    MUST(cudaEventRecord(f, t));
    within("wait for an event from before", [] { return cudaStreamWaitEvent(s, f, 0); });
    begin();
    show("wait for it", cudaStreamWaitEvent(s, f, 0));
    show("launch in the invalidated capture", launch(s));
    end();
    show("launch after it", launch(s));
    begin();
    MUST(cudaEventRecord(e, s));
    MUST(cudaStreamWaitEvent(t, e, 0));
    show("wait for an event from before, in a fork", cudaStreamWaitEvent(t, f, 0));
    show("synchronize with the fork", cudaStreamSynchronize(t));
    end();
    begin();
    MUST(cudaStreamBeginCapture(t, cudaStreamCaptureModeGlobal));
    MUST(cudaEventRecord(e, t));
    show("join two captures", cudaStreamWaitEvent(s, e, 0));
    end(t);
    end();
    begin();
    MUST(cudaEventRecord(e, s));
    MUST(cudaStreamWaitEvent(t, e, 0));
    show("end in the fork", (add<<<1, 1, 0, t>>>(a), cudaSuccess));
    end(t);
    end();
    show("end without a capture", [] {
        cudaGraph_t graph;

        return cudaStreamEndCapture(s, &graph);
    }());
    begin();
    show("end without a place for the graph", cudaStreamEndCapture(s, nullptr));
    end();
    begin();
    MUST(cudaEventRecord(e, s));
    end();
    begin();
    show("wait for an event of a capture that has ended", cudaStreamWaitEvent(s, e, 0));
    end();
}

static void between_threads()
{
    puts("threads");
    for (auto mode : {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal,
                      cudaStreamCaptureModeRelaxed}) {
        void *p = nullptr;

        begin(mode);
        std::thread([&] { show("allocate in another thread", cudaMalloc(&p, 64)); }).join();
        end();
        if (p)
            MUST(cudaFree(p));
        begin(mode);
        std::thread([&] { end(); }).join();
        if (mode != cudaStreamCaptureModeRelaxed)
            end();
    }
    for (auto mode : {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal,
                      cudaStreamCaptureModeRelaxed}) {
        cudaStreamCaptureMode other = mode;
        void *p = nullptr;

        begin();
        MUST(cudaThreadExchangeStreamCaptureMode(&other));
        show("allocate in another mode", cudaMalloc(&p, 64));
        MUST(cudaThreadExchangeStreamCaptureMode(&other));
        end();
        if (p)
            MUST(cudaFree(p));
    }
}

int main()
{
    MUST(cudaMalloc(&a, 64));
    MUST(cudaMalloc(&b, 64));
    MUST(cudaStreamCreate(&s));
    MUST(cudaStreamCreate(&t));
    MUST(cudaStreamCreateWithFlags(&free_stream, cudaStreamNonBlocking));
    MUST(cudaEventCreate(&e));
    MUST(cudaEventCreate(&f));
    MUST(cudaEventRecord(f, t));
    MUST(cudaDeviceSynchronize());
    of_the_stream();
    of_the_device();
    between_streams();
    between_threads();
    return 0;
}
