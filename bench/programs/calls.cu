/* SPDX-License-Identifier: Apache-2.0 */
/* Host time of CUDA calls, with kernels too small to hide it. For nvcc and proactcc; prints
   the rows of compiled.cu. */
#include "compiled.cuh"

enum { N = 1 << 16, FEW = 1 << 10, MANY = 100, CHAIN = 40, GRID = 4 };

static int *array, *other, plain[N], *pinned, *managed;
__constant__ int table[FEW];

__global__ void step(int *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        p[i] = p[i] * 3 + table[i % FEW];
}

/* Sets *again if work remains, as a breadth-first search does. */
__global__ void lower(int *p, int n, int *again)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n && p[i] > 1000) {
        p[i] /= 2;
        *again = 1;
    }
}

static char **wanted_names;
static int wanted_count;

/* `calls` calls before the host waits. */
template <class Call> static void row(const char *name, int calls, Call call)
{
    if (!wanted(wanted_count, wanted_names, 1, name))
        return;
    for (int i = 0; i < N; i++)
        plain[i] = pinned[i] = i;
    CHECK(cudaMemcpy(array, plain, sizeof plain, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(other, plain, sizeof plain, cudaMemcpyHostToDevice));
    measure(
        name, calls,
        [&] {
            for (int i = 0; i < calls; i++)
                call(i);
        },
        [] { CHECK(cudaDeviceSynchronize()); },
        [&] {
            std::vector<uint32_t> words(N);

            CHECK(cudaMemcpy(words.data(), array, sizeof plain, cudaMemcpyDeviceToHost));
            return words;
        });
}

static void small_step(cudaStream_t stream)
{
    step<<<GRID, 256, 0, stream>>>(array, FEW);
}

static void launches(void)
{
    row("launch", 1000, [](int) { small_step(0); });
    row("launch_wait", MANY, [](int) {
        small_step(0);
        CHECK(cudaDeviceSynchronize());
    });
    row("search_step", MANY, [](int) {
        static int again;

        again = 0;
        CHECK(cudaMemcpy(other, &again, sizeof again, cudaMemcpyHostToDevice));
        lower<<<N / 256, 256>>>(array, N, other);
        CHECK(cudaMemcpy(&again, other, sizeof again, cudaMemcpyDeviceToHost));
    });
}

static void copies(void)
{
    enum { BYTES = 4096 };

    row("upload", MANY,
        [](int) { CHECK(cudaMemcpy(array, plain, BYTES, cudaMemcpyHostToDevice)); });
    row("download", MANY,
        [](int) { CHECK(cudaMemcpy(plain, array, BYTES, cudaMemcpyDeviceToHost)); });
    row("copy_device", MANY,
        [](int) { CHECK(cudaMemcpy(array, other, BYTES, cudaMemcpyDeviceToDevice)); });
    row("upload_async", MANY,
        [](int) { CHECK(cudaMemcpyAsync(array, pinned, BYTES, cudaMemcpyHostToDevice)); });
    row("download_async", MANY, [](int) {
        CHECK(cudaMemcpyAsync(pinned, array, BYTES, cudaMemcpyDeviceToHost));
        CHECK(cudaStreamSynchronize(0));
    });
    row("fill", MANY, [](int i) { CHECK(cudaMemset(array, i, BYTES)); });
    row("fill_2d", MANY,
        [](int i) { CHECK(cudaMemset2D(array, 256, i, 128, N * 4 / 256)); });
    row("copy_symbol", MANY,
        [](int) { CHECK(cudaMemcpyToSymbol(table, plain, sizeof table)); });
    row("upload_2d", MANY, [](int) {
        CHECK(cudaMemcpy2D(array, 256, plain, 512, 128, 32, cudaMemcpyHostToDevice));
    });
    row("download_2d", MANY, [](int) {
        CHECK(cudaMemcpy2D(plain, 512, array, 256, 128, 32, cudaMemcpyDeviceToHost));
    });
    row("copy_2d_many", 10, [](int) {
        CHECK(cudaMemcpy2D(array, 256, plain, 128, 120, N / 64, cudaMemcpyHostToDevice));
        CHECK(cudaMemcpy2D(plain, 128, array, 256, 120, N / 64, cudaMemcpyDeviceToHost));
    });
    row("managed", MANY, [](int i) {
        managed[0] = i;
        step<<<GRID, 256>>>(managed, FEW);
        CHECK(cudaDeviceSynchronize());
    });
}

static void orders(void)
{
    cudaStream_t a, b;
    cudaEvent_t event, timed[2];

    CHECK(cudaStreamCreate(&a));
    CHECK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    for (cudaEvent_t &e : timed)
        CHECK(cudaEventCreate(&e));
    row("stream_launch", 1000, [&](int) { small_step(a); });
    row("two_streams", MANY, [&](int) {
        small_step(a);
        CHECK(cudaEventRecord(event, a));
        CHECK(cudaStreamWaitEvent(b, event, 0));
        small_step(b);
        CHECK(cudaEventRecord(event, b));
        CHECK(cudaStreamWaitEvent(a, event, 0));
    });
    row("event_wait", MANY, [&](int) {
        small_step(a);
        CHECK(cudaEventRecord(event, a));
        CHECK(cudaEventSynchronize(event));
    });
    row("event_time", MANY, [&](int) {
        float ms;

        CHECK(cudaEventRecord(timed[0]));
        small_step(0);
        CHECK(cudaEventRecord(timed[1]));
        CHECK(cudaEventSynchronize(timed[1]));
        CHECK(cudaEventElapsedTime(&ms, timed[0], timed[1]));
    });
    row("query", 1000, [&](int) { cudaStreamQuery(a); });
    row("stream_create", MANY, [](int) {
        cudaStream_t s;

        CHECK(cudaStreamCreate(&s));
        CHECK(cudaStreamDestroy(s));
    });
    row("event_create", MANY, [](int) {
        cudaEvent_t e;

        CHECK(cudaEventCreate(&e));
        CHECK(cudaEventDestroy(e));
    });
    CHECK(cudaEventDestroy(event));
    for (cudaEvent_t e : timed)
        CHECK(cudaEventDestroy(e));
    CHECK(cudaStreamDestroy(a));
    CHECK(cudaStreamDestroy(b));
}

static void memory(void)
{
    row("malloc", MANY, [](int) {
        void *p;

        CHECK(cudaMalloc(&p, 4096));
        CHECK(cudaFree(p));
    });
    row("malloc_async", MANY, [](int) {
        void *p;

        CHECK(cudaMallocAsync(&p, 4096, (cudaStream_t)0));
        CHECK(cudaFreeAsync(p, (cudaStream_t)0));
    });
    row("malloc_pinned", 10, [](int) {
        void *p;

        CHECK(cudaMallocHost(&p, 4096));
        CHECK(cudaFreeHost(p));
    });
}

/* A graph of consecutive small kernels; time per kernel. */
static void graphs(void)
{
    cudaStream_t s;
    cudaGraph_t graph;
    cudaGraphExec_t exec;

    CHECK(cudaStreamCreate(&s));
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    for (int i = 0; i < CHAIN; i++)
        small_step(s);
    CHECK(cudaStreamEndCapture(s, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    row("graph_40", 20, [&](int) { CHECK(cudaGraphLaunch(exec, s)); });
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(s));
}

/* calls [NAME...] */
int main(int argc, char **argv)
{
    wanted_names = argv, wanted_count = argc;
    CHECK(cudaMalloc(&array, sizeof plain));
    CHECK(cudaMalloc(&other, sizeof plain));
    CHECK(cudaMallocHost(&pinned, sizeof plain));
    CHECK(cudaMallocManaged(&managed, FEW * sizeof(int)));
    launches();
    copies();
    orders();
    memory();
    graphs();
    return 0;
}
