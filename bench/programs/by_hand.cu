/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of compiled.cu split over several GPUs by hand: every GPU computes one
   partition, and streams and events order the transfers. Prints the rows of compiled.cu.
   Usage: by_hand GPUS streams|graph [SHIFT [NAME...]]
     graph: the launches of a run are captured and replayed as one graph */
#include <functional>
#include <string>

#include "compiled.cuh"

struct gpu {
    cudaStream_t main, side; /* side: boundary work, with priority */
    /* by parity of the launch: one is waited for while the other is recorded */
    cudaEvent_t main_done[2], side_done[2], end;
    struct array a, b, c;
};

static std::vector<gpu> gpus;
static bool as_graph;

static int count_of_gpus(void)
{
    return (int)gpus.size();
}

static void on(int d)
{
    CHECK(cudaSetDevice(d));
}

static void make_gpus(int count)
{
    int found;

    CHECK(cudaGetDeviceCount(&found));
    if (count < 1 || count > found) {
        fprintf(stderr, "by_hand: %d GPUs requested, %d available\n", count, found);
        exit(2);
    }
    gpus.resize(count);
    for (int d = 0; d < count; d++) {
        struct gpu &g = gpus[d];
        int least, most;

        on(d);
        for (int p = 0; p < count; p++)
            if (p != d)
                CHECK(cudaDeviceEnablePeerAccess(p, 0));
        CHECK(cudaDeviceGetStreamPriorityRange(&least, &most));
        CHECK(cudaStreamCreateWithPriority(&g.main, cudaStreamNonBlocking, least));
        CHECK(cudaStreamCreateWithPriority(&g.side, cudaStreamNonBlocking, most));
        for (cudaEvent_t *e :
             {&g.main_done[0], &g.main_done[1], &g.side_done[0], &g.side_done[1], &g.end})
            CHECK(cudaEventCreateWithFlags(e, cudaEventDisableTiming));
    }
}

static void wait_for_all(void)
{
    for (int d = 0; d < count_of_gpus(); d++) {
        on(d);
        CHECK(cudaDeviceSynchronize());
    }
}

/* All streams start after and end before one stream, so that a capture includes them. */
static void fork_streams(cudaStream_t first)
{
    CHECK(cudaEventRecord(gpus[0].end, first));
    for (struct gpu &g : gpus)
        for (cudaStream_t s : {g.main, g.side})
            if (s != first)
                CHECK(cudaStreamWaitEvent(s, gpus[0].end, 0));
}

static void join_streams(cudaStream_t first)
{
    for (int d = 0; d < count_of_gpus(); d++) {
        struct gpu &g = gpus[d];

        on(d);
        for (cudaStream_t s : {g.main, g.side}) {
            if (s == first)
                continue;
            CHECK(cudaEventRecord(g.end, s));
            CHECK(cudaStreamWaitEvent(first, g.end, 0));
        }
    }
}

/* issue(i) queues launch i of all GPUs. The first launch of a run waits for nothing. */
static void run(const char *name, int launches, const std::function<void(int)> &issue,
                const std::function<std::vector<uint32_t>()> &result)
{
    auto all = [&] {
        for (int i = 0; i < launches; i++)
            issue(i);
    };
    cudaStream_t first = gpus[0].main;
    cudaGraph_t graph;
    cudaGraphExec_t exec;

    if (!as_graph) {
        measure(name, launches, all, wait_for_all, result);
        return;
    }
    on(0);
    CHECK(cudaStreamBeginCapture(first, cudaStreamCaptureModeRelaxed));
    fork_streams(first);
    all();
    join_streams(first);
    CHECK(cudaStreamEndCapture(first, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    measure(
        name, launches, [&] { CHECK(cudaGraphLaunch(exec, first)); }, wait_for_all, result);
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
}

/* Every GPU allocates the complete array and keeps its own partition current. */
static void make_arrays(struct array gpu::*which, size_t count, uint32_t seed)
{
    for (int d = 0; d < count_of_gpus(); d++) {
        on(d);
        gpus[d].*which = make(count, seed);
    }
    wait_for_all();
}

static void free_arrays(struct array gpu::*which)
{
    for (int d = 0; d < count_of_gpus(); d++) {
        on(d);
        CHECK(cudaFree((gpus[d].*which).at));
    }
}

/* The partitions of all GPUs as one array. */
static std::vector<uint32_t> gather(struct array gpu::*which)
{
    size_t count = (gpus[0].*which).count, partition = count / gpus.size();
    std::vector<uint32_t> words(count);

    for (int d = 0; d < count_of_gpus(); d++) {
        on(d);
        CHECK(cudaMemcpy(words.data() + d * partition, (gpus[d].*which).at + d * partition,
                         partition * sizeof(float), cudaMemcpyDeviceToHost));
    }
    return words;
}

static void run_scale_add(int shift)
{
    int n = (64 << 20) >> shift, partition = n / count_of_gpus();

    make_arrays(&gpu::a, n, 1);
    make_arrays(&gpu::b, n, 2);
    run(
        "scale_add", 10,
        [&](int) {
            for (int d = 0; d < count_of_gpus(); d++) {
                size_t at = (size_t)d * partition;

                on(d);
                scale_add<<<(partition + 255) / 256, 256, 0, gpus[d].main>>>(
                    gpus[d].a.at + at, gpus[d].b.at + at, 0.5f, partition);
            }
        },
        [] { return gather(&gpu::b); });
    free_arrays(&gpu::a);
    free_arrays(&gpu::b);
}

__global__ void heat_rows(const float *from, float *to, int n, int first, int end)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x,
        y = first + blockIdx.y * blockDim.y + threadIdx.y;

    if (x > 0 && x < n - 1 && y < end)
        to[(size_t)y * n + x] = mean_of_four(from, (size_t)y * n + x, n);
}

/* First and last row of a partition, stored locally and to the neighbours. */
__global__ void heat_edges(const float *from, float *to, float *above, float *below, int n,
                           int first, int last)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y ? last : first;
    float *neighbour = blockIdx.y ? below : above;
    size_t i = (size_t)y * n + x;

    if (x < 1 || x >= n - 1 || y < 1 || y >= n - 1)
        return;
    float mean = mean_of_four(from, i, n);

    to[i] = mean;
    if (neighbour)
        neighbour[i] = mean;
}

static float *heat_array(int d, int odd)
{
    return d < 0 || d >= count_of_gpus() ? NULL : odd ? gpus[d].b.at : gpus[d].a.at;
}

/* The boundary rows of launch i need those that the neighbours sent in launch i - 1, and
   the adjacent interior rows. The neighbours have read the rows that they overwrite. */
static void heat_wait(int d, int i)
{
    struct gpu &g = gpus[d];
    int before = (i + 1) % 2;

    if (i == 0)
        return;
    CHECK(cudaStreamWaitEvent(g.side, g.main_done[before], 0));
    for (int p : {d - 1, d + 1})
        if (p >= 0 && p < count_of_gpus())
            CHECK(cudaStreamWaitEvent(g.side, gpus[p].side_done[before], 0));
    CHECK(cudaStreamWaitEvent(g.main, g.side_done[before], 0));
}

static void heat_launch(int d, int i, int n)
{
    struct gpu &g = gpus[d];
    int rows = n / count_of_gpus(), first = d * rows, last = first + rows - 1;
    float *from = heat_array(d, i % 2), *to = heat_array(d, (i + 1) % 2);
    dim3 threads(32, 8), ctas((n + 31) / 32, (rows - 2 + 7) / 8);

    on(d);
    heat_wait(d, i);
    heat_edges<<<dim3((n + 255) / 256, 2), 256, 0, g.side>>>(
        from, to, heat_array(d - 1, (i + 1) % 2), heat_array(d + 1, (i + 1) % 2), n, first,
        last);
    CHECK(cudaEventRecord(g.side_done[i % 2], g.side));
    heat_rows<<<ctas, threads, 0, g.main>>>(from, to, n, first + 1, last);
    CHECK(cudaEventRecord(g.main_done[i % 2], g.main));
}

static void run_heat(int shift)
{
    int n = 8192 >> shift / 2;

    make_arrays(&gpu::a, (size_t)n * n, 1);
    make_arrays(&gpu::b, (size_t)n * n, 1);
    run(
        "heat", 10,
        [&](int i) {
            for (int d = 0; d < count_of_gpus(); d++)
                heat_launch(d, i, n);
        },
        [] { return gather(&gpu::a); });
    free_arrays(&gpu::a);
    free_arrays(&gpu::b);
}

static void run_multiply(int shift)
{
    int n = std::max(4096 >> shift / 2, 64), rows = n / count_of_gpus();

    make_arrays(&gpu::a, (size_t)n * n, 1);
    make_arrays(&gpu::b, (size_t)n * n, 2);
    make_arrays(&gpu::c, (size_t)n * n, 3);
    run(
        "multiply", 2,
        [&](int) {
            for (int d = 0; d < count_of_gpus(); d++) {
                size_t at = (size_t)d * rows * n;

                on(d);
                multiply<<<dim3(n / TILE, rows / TILE), dim3(TILE, TILE), 0,
                           gpus[d].main>>>(gpus[d].a.at + at, gpus[d].b.at,
                                           gpus[d].c.at + at, n);
            }
        },
        [] { return gather(&gpu::c); });
    free_arrays(&gpu::a);
    free_arrays(&gpu::b);
    free_arrays(&gpu::c);
}

__global__ void attract_share(const float4 *from, float4 *to, float4 *speed, int n,
                              int first, float dt)
{
    pull(first + blockIdx.x * blockDim.x + threadIdx.x, from, to, speed, n, dt);
}

/* Each partition goes to all other GPUs, which have read the previous positions. */
static void attract_launch(int d, int i, int n)
{
    struct gpu &g = gpus[d];
    int partition = n / count_of_gpus(), before = (i + 1) % 2;
    struct array gpu::*from = i % 2 ? &gpu::b : &gpu::a;
    struct array gpu::*to = i % 2 ? &gpu::a : &gpu::b;
    size_t at = 4 * (size_t)d * partition;

    on(d);
    for (int p = 0; p < count_of_gpus() && i > 0; p++)
        if (p != d)
            CHECK(cudaStreamWaitEvent(g.main, gpus[p].main_done[before], 0));
    attract_share<<<partition / 256, 256, 0, g.main>>>(
        (float4 *)(g.*from).at, (float4 *)(g.*to).at, (float4 *)g.c.at, n, d * partition,
        1e-6f);
    for (int k = 1; k < count_of_gpus(); k++) {
        int p = (d + k) % count_of_gpus();

        CHECK(cudaMemcpyAsync((gpus[p].*to).at + at, (g.*to).at + at,
                              partition * sizeof(float4), cudaMemcpyDefault, g.main));
    }
    CHECK(cudaEventRecord(g.main_done[i % 2], g.main));
}

static void run_attract(int shift)
{
    int n = std::max((128 << 10) >> shift, 256 * count_of_gpus());

    make_arrays(&gpu::a, 4 * (size_t)n, 1);
    make_arrays(&gpu::b, 4 * (size_t)n, 2);
    make_arrays(&gpu::c, 4 * (size_t)n, 3);
    run(
        "attract", 2,
        [&](int i) {
            for (int d = 0; d < count_of_gpus(); d++)
                attract_launch(d, i, n);
        },
        [] { return gather(&gpu::a); });
    free_arrays(&gpu::a);
    free_arrays(&gpu::b);
    free_arrays(&gpu::c);
}

/* Every GPU counts its partition into its own bins; the reader adds the bins. */
static void run_count(int shift)
{
    int n = (64 << 20) >> shift, partition = n / count_of_gpus();

    make_arrays(&gpu::a, n, 1);
    make_arrays(&gpu::b, 256, 0);
    for (int d = 1; d < count_of_gpus(); d++) {
        on(d);
        CHECK(cudaMemset(gpus[d].b.at, 0, 256 * sizeof(uint32_t)));
    }
    wait_for_all();
    run(
        "histogram_shared", 20,
        [&](int) {
            for (int d = 0; d < count_of_gpus(); d++) {
                on(d);
                histogram_shared<<<1056, 256, 0, gpus[d].main>>>(
                    (uint32_t *)gpus[d].a.at + (size_t)d * partition,
                    (uint32_t *)gpus[d].b.at, partition);
            }
        },
        [] {
            std::vector<uint32_t> sum(256), one(256);

            for (int d = 0; d < count_of_gpus(); d++) {
                on(d);
                CHECK(cudaMemcpy(one.data(), gpus[d].b.at, sizeof(uint32_t) * 256,
                                 cudaMemcpyDeviceToHost));
                for (int i = 0; i < 256; i++)
                    sum[i] += one[i];
            }
            return sum;
        });
    free_arrays(&gpu::a);
    free_arrays(&gpu::b);
}

int main(int argc, char **argv)
{
    std::string how = argc > 2 ? argv[2] : "";
    int shift = argc > 3 ? atoi(argv[3]) : 0;

    if (how != "streams" && how != "graph") {
        fprintf(stderr, "usage: by_hand GPUS streams|graph [SHIFT [NAME...]]\n");
        return 2;
    }
    as_graph = how == "graph";
    make_gpus(atoi(argv[1]));
    if (shift)
        runs = 3;
    if (wanted(argc, argv, 4, "scale_add"))
        run_scale_add(shift);
    if (wanted(argc, argv, 4, "heat"))
        run_heat(shift);
    if (wanted(argc, argv, 4, "multiply"))
        run_multiply(shift);
    if (wanted(argc, argv, 4, "attract"))
        run_attract(shift);
    if (wanted(argc, argv, 4, "histogram_shared"))
        run_count(shift);
    return 0;
}
