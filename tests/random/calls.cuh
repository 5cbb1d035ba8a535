// SPDX-License-Identifier: Apache-2.0
// Random host code: operations on arrays in several streams, threads and graphs. Each
// operation names the arrays that it reads and writes, and its stream waits as CUDA's rules
// require.
#include "prelude.cuh"
#include <initializer_list>
#include <thread>
#include <vector>

enum { LEGACY, BLOCKING, SECOND, FREE, URGENT, PER_THREAD, OTHER_THREAD, STREAMS };

static cudaStream_t streams[STREAMS] = {0,           0, 0, 0, 0, cudaStreamPerThread,
                                        cudaStreamPerThread};
static thread_local unsigned chance;
static thread_local int side = -1; // one of two threads; -1: only one thread

static unsigned draw(unsigned below)
{
    chance = chance * 1664525u + 1013904223u;
    return (chance >> 8) % below;
}

struct uses {
    int writer;
    unsigned readers; // one bit for each stream
    cudaEvent_t events[STREAMS];
};
struct array {
    char *p;
    size_t bytes;
    enum { PLAIN, POOLED, MANAGED, MAPPED, REGISTERED, SYMBOL } kind;
    char *mirror; // of the same size, pinned
    bool is_kept; // a graph uses its address
    uses live, captured;
};
struct use {
    array *of;
    bool writes;
};
struct capture {
    int origin, other;
    std::vector<use> used;
};
static thread_local capture *capturing;
static array order_counters, all_words, all_table;

static int draw_stream()
{
    static const int of_side[2][4] = {{BLOCKING, FREE, PER_THREAD, FREE},
                                      {SECOND, URGENT, OTHER_THREAD, URGENT}};

    if (capturing)
        return draw(2) ? capturing->origin : capturing->other;
    return side >= 0 ? of_side[side][draw(4)] : (int)draw(OTHER_THREAD);
}

// Rule of the legacy stream: it and the blocking streams wait for each other implicitly.
static bool is_ordered(int a, int b)
{
    unsigned blocking = 1u << BLOCKING | 1u << SECOND | 1u << PER_THREAD | 1u << LEGACY;

    return (a == LEGACY || b == LEGACY) && (blocking >> a & 1) && (blocking >> b & 1);
}

static void wait_for(uses &u, int before, int stream)
{
    if (before == stream)
        return;
    if (capturing) {
        CHECK(cudaStreamWaitEvent(streams[stream], u.events[before], 0));
        return;
    }
    if (is_ordered(before, stream) && draw(3))
        return;
    switch (draw(12)) {
    case 0:
        CHECK(cudaEventSynchronize(u.events[before]));
        return;
    case 1:
        while (cudaEventQuery(u.events[before]) == cudaErrorNotReady)
            std::this_thread::yield();
        return;
    case 2:
        if (before == OTHER_THREAD || side >= 0)
            break;
        CHECK(cudaStreamSynchronize(streams[before]));
        return;
    case 3:
        if (side >= 0)
            break;
        CHECK(cudaDeviceSynchronize());
        return;
    }
    CHECK(cudaStreamWaitEvent(streams[stream], u.events[before], 0));
}

static uses &uses_of(array *a) { return capturing ? a->captured : a->live; }

static void before(int stream, const std::vector<use> &used)
{
    for (const use &u : used) {
        uses &all = uses_of(u.of);

        if (all.writer >= 0)
            wait_for(all, all.writer, stream);
        for (int s = 0; u.writes && s < STREAMS; s++)
            if (all.readers >> s & 1)
                wait_for(all, s, stream);
    }
}

static void after(int stream, const std::vector<use> &used)
{
    for (const use &u : used) {
        uses &all = uses_of(u.of);

        if (!all.events[stream])
            CHECK(cudaEventCreateWithFlags(&all.events[stream],
                                           draw(2) ? cudaEventDisableTiming : 0));
        CHECK(cudaEventRecord(all.events[stream], streams[stream]));
        if (u.writes) {
            all.writer = stream;
            all.readers = 0;
        } else {
            all.readers |= 1u << stream;
        }
        if (capturing)
            capturing->used.push_back(u);
    }
}

// Delays a stream, so that a missing wait becomes visible.
__global__ void nap()
{
    for (int i = 0; i < 50; i++)
        __nanosleep(5000);
}
static void keep_busy(int stream)
{
    if (draw(3) == 0)
        nap<<<1, 1, 0, streams[stream]>>>();
}

template <typename F> static void act(std::vector<use> used, F f)
{
    int stream = draw_stream();

    if (side >= 0 && used[0].of == &all_table) // two_threads() records it
        used.erase(used.begin());
    before(stream, used);
    keep_busy(stream);
    f(streams[stream]);
    CHECK(cudaGetLastError());
    after(stream, used);
}

// Waits until the host may read the array, and may write it if `writes` is set.
static void settle(array *a, bool writes)
{
    uses &u = a->live;

    if (u.writer >= 0)
        CHECK(cudaEventSynchronize(u.events[u.writer]));
    for (int s = 0; writes && s < STREAMS; s++)
        if (u.readers >> s & 1)
            CHECK(cudaEventSynchronize(u.events[s]));
}

struct graph {
    cudaGraphExec_t exec;
    std::vector<use> used;
};

static void forget(const std::vector<array *> &all)
{
    for (array *a : all) {
        a->captured.writer = -1;
        a->captured.readers = 0;
    }
}

template <typename F> static cudaGraph_t captured(capture *c, F f)
{
    cudaEvent_t fork, join;
    cudaGraph_t made;

    CHECK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
    CHECK(cudaStreamBeginCapture(streams[c->origin], cudaStreamCaptureModeThreadLocal));
    if (c->other != c->origin) {
        CHECK(cudaEventRecord(fork, streams[c->origin]));
        CHECK(cudaStreamWaitEvent(streams[c->other], fork, 0));
    }
    capturing = c;
    f();
    capturing = nullptr;
    if (c->other != c->origin) {
        CHECK(cudaEventRecord(join, streams[c->other]));
        CHECK(cudaStreamWaitEvent(streams[c->origin], join, 0));
    }
    CHECK(cudaStreamEndCapture(streams[c->origin], &made));
    return made;
}

// Plays a graph. It is recorded at first and at random again; otherwise it is replayed.
template <typename F> static void play(graph &g, const std::vector<array *> &all, F f)
{
    int stream = draw_stream();

    if (!g.exec || draw(3) == 0) {
        capture c = {BLOCKING + (int)draw(4), 0, {}};
        cudaGraphExecUpdateResultInfo info;
        cudaGraph_t made;

        c.other = draw(2) ? BLOCKING + (int)draw(4) : c.origin;
        forget(all);
        made = captured(&c, f);
        if (g.exec && draw(2))
            for (use &u : g.used)
                settle(u.of, true);
        if (!g.exec || cudaGraphExecUpdate(g.exec, made, &info) != cudaSuccess) {
            (void)cudaGetLastError();
            CHECK(cudaGraphInstantiate(&g.exec, made, 0));
        }
        CHECK(cudaGraphDestroy(made));
        g.used = c.used;
        for (use &u : g.used)
            u.of->is_kept = true;
    }
    for (unsigned times = 1 + draw(5); times; times--) {
        before(stream, g.used);
        keep_busy(stream);
        CHECK(cudaGraphLaunch(g.exec, streams[stream]));
        after(stream, g.used);
        if (draw(2))
            stream = draw_stream();
    }
}

template <typename F, typename G> static void two_threads(F f, G g)
{
    unsigned seed = draw(1u << 20);
    auto run = [seed](int which, auto body) {
        side = which;
        chance = seed + (unsigned)which;
        body();
        CHECK(cudaStreamSynchronize(cudaStreamPerThread));
    };
    settle(&all_table, false);
    // Each thread has a separate stream of this name, so an event cannot order it.
    CHECK(cudaStreamSynchronize(cudaStreamPerThread));
    std::thread a([&] { run(0, f); }), b([&] { run(1, g); });

    a.join();
    b.join();
    for (int s = BLOCKING; s <= URGENT; s++)
        after(s, {{&all_table, false}});
}

template <typename T> struct itself {
    typedef T type;
};
// Launches a kernel by one of the available calls.
template <typename... P>
static void launch(void (*k)(P...), dim3 grid, dim3 block, cudaStream_t s,
                   typename itself<P>::type... p)
{
    void *list[] = {(void *)&p...};
    cudaLaunchConfig_t c = {};
    int fit = 0, sms = 0;

    c.gridDim = grid;
    c.blockDim = block;
    c.stream = s;
    switch (draw(6)) {
    case 0:
        CHECK(cudaLaunchKernel((const void *)k, grid, block, list, 0, s));
        return;
    case 1:
        CHECK(cudaLaunchKernelExC(&c, (const void *)k, list));
        return;
    case 2:
        CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
        CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
            &fit, (const void *)k, (int)(block.x * block.y * block.z), 0));
        if (grid.x * grid.y * grid.z <= (unsigned)(fit * sms)) {
            CHECK(cudaLaunchCooperativeKernel((const void *)k, grid, block, list, 0, s));
            return;
        }
    }
    k<<<grid, block, 0, s>>>(p...);
}
