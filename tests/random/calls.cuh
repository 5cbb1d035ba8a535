// SPDX-License-Identifier: Apache-2.0
// Random host code: what is done to arrays in several streams, threads and graphs. Each act says
// which arrays it reads and writes, and its stream is made to wait for whom CUDA's rules say.
#include "prelude.cuh"
#include <initializer_list>
#include <thread>
#include <vector>

enum { LEGACY, BLOCKING, SECOND, FREE, URGENT, PER_THREAD, OTHER_THREAD, STREAMS };

static cudaStream_t streams[STREAMS] = {0,           0, 0, 0, 0, cudaStreamPerThread,
                                        cudaStreamPerThread};
static thread_local unsigned chance;
static thread_local int side = -1; // of two threads, or -1: there is one

static unsigned draw(unsigned below)
{
    chance = chance * 1664525u + 1013904223u;
    return (chance >> 8) % below;
}

struct uses {
    int writer;
    unsigned readers; // a bit a stream
    cudaEvent_t events[STREAMS];
};
struct array {
    char *p;
    size_t bytes;
    enum { PLAIN, POOLED, MANAGED, MAPPED, REGISTERED, SYMBOL } kind;
    char *mirror; // as large, pinned
    bool is_kept; // a graph knows its address
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
static array tickets, all_words, all_table;

static int draw_stream()
{
    static const int of_side[2][4] = {{BLOCKING, FREE, PER_THREAD, FREE},
                                      {SECOND, URGENT, OTHER_THREAD, URGENT}};

    if (capturing)
        return draw(2) ? capturing->origin : capturing->other;
    return side >= 0 ? of_side[side][draw(4)] : (int)draw(OTHER_THREAD);
}

// Legacy's rule: it and the blocking streams wait for each other unasked.
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

// So that who does not wait comes too early.
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

    if (side >= 0 && used[0].of == &all_table) // both threads read it: two_threads() tells
        used.erase(used.begin());
    before(stream, used);
    keep_busy(stream);
    f(streams[stream]);
    CHECK(cudaGetLastError());
    after(stream, used);
}

// The host may look at it, and with `writes` change it.
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

// Recorded when it is met first, at times again; else replayed, whatever has been done since.
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
    std::thread a([&] { run(0, f); }), b([&] { run(1, g); });

    a.join();
    b.join();
    for (int s = BLOCKING; s <= URGENT; s++)
        after(s, {{&all_table, false}});
}

template <typename T> struct itself {
    typedef T type;
};
// A kernel in one of the ways there are.
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

static void *memory(array *a, size_t bytes)
{
    void *p = nullptr;

    switch (a->kind) {
    case array::MANAGED:
        CHECK(cudaMallocManaged(&p, bytes));
        return p;
    case array::MAPPED:
        CHECK(cudaHostAlloc(&p, bytes, cudaHostAllocMapped));
        return p;
    case array::REGISTERED:
        p = aligned_alloc(4096, (bytes + 4095) & ~(size_t)4095);
        CHECK(cudaHostRegister(p, bytes, cudaHostRegisterMapped));
        return p;
    case array::POOLED:
        CHECK(cudaMallocAsync(&p, bytes, streams[BLOCKING]));
        CHECK(cudaStreamSynchronize(streams[BLOCKING]));
        return p;
    default:
        CHECK(cudaMalloc(&p, bytes));
        return p;
    }
}

static void known(array *a)
{
    CHECK(cudaMallocHost(&a->mirror, a->bytes));
    a->live.writer = a->captured.writer = -1;
}

template <typename T> static array *made(long count)
{
    static const unsigned char kinds[] = {0, 0, 0, 0, 1, 1, 2, 3, 4};
    array *a = new array();

    a->kind = (decltype(a->kind))kinds[draw(sizeof kinds)];
    a->bytes = count * sizeof(T);
    a->p = (char *)memory(a, a->bytes);
    known(a);
    for (long i = 0; i < count; i++)
        ((T *)a->mirror)[i] = put<T>(next_random());
    CHECK(cudaMemcpy(a->p, a->mirror, a->bytes, cudaMemcpyDefault));
    CHECK(cudaDeviceSynchronize());
    return a;
}

static bool is_host(const array *a)
{
    return a->kind == array::MANAGED || a->kind == array::MAPPED ||
           a->kind == array::REGISTERED;
}

struct change {
    void (*how)(void *, size_t, unsigned);
    void *p;
    size_t count;
    unsigned with;
};
template <typename T> static void changed(void *p, size_t count, unsigned with)
{
    for (size_t i = with % 7; i < count; i += 1 + with % 5)
        ((T *)p)[i] = put<T>((unsigned)get(((T *)p)[i]) * 5u + with);
}
static void CUDART_CB change_now(void *context)
{
    change *c = (change *)context;

    c->how(c->p, c->count, c->with);
}
static void CUDART_CB change_then(cudaStream_t, cudaError_t, void *context)
{
    change_now(context);
}

// The host changes it: by itself, or when a stream comes to it.
template <typename T> static void by_host(array *a, unsigned with)
{
    if (is_host(a) && !capturing && draw(2)) {
        settle(a, true);
        changed<T>(a->p, a->bytes / sizeof(T), with);
        return;
    }
    act({{a, true}}, [&](cudaStream_t s) {
        bool there = is_host(a) && draw(2);
        change *c = new change{changed<T>, there ? a->p : a->mirror, a->bytes / sizeof(T), with};

        if (!there)
            CHECK(cudaMemcpyAsync(a->mirror, a->p, a->bytes, cudaMemcpyDefault, s));
        if (capturing || draw(2))
            CHECK(cudaLaunchHostFunc(s, change_now, c));
        else
            CHECK(cudaStreamAddCallback(s, change_then, c, 0));
        if (!there)
            CHECK(cudaMemcpyAsync(a->p, a->mirror, a->bytes, cudaMemcpyDefault, s));
    });
}

// Freed and allocated anew, with what it held.
static void renewed(array *a)
{
    if (a->is_kept || a->kind != array::POOLED || capturing)
        return;
    act({{a, true}}, [&](cudaStream_t s) {
        void *p;

        CHECK(cudaMallocAsync(&p, a->bytes, s));
        CHECK(cudaMemcpyAsync(p, a->p, a->bytes, cudaMemcpyDeviceToDevice, s));
        CHECK(cudaFreeAsync(a->p, s));
        a->p = (char *)p;
    });
}

static void advised(array *a)
{
    cudaMemLocation here = {};

    (void)here;
    if (a->kind != array::MANAGED || capturing)
        return;
#if CUDART_VERSION < 13000
    act({{a, true}}, [&](cudaStream_t s) {
        CHECK(cudaMemAdvise(a->p, a->bytes, cudaMemAdviseSetPreferredLocation, 0));
        CHECK(cudaMemPrefetchAsync(a->p, a->bytes, draw(2) ? 0 : cudaCpuDeviceId, s));
    });
#endif
}

static void told(const char *what, array *a)
{
    settle(a, false);
    CHECK(cudaMemcpyAsync(a->mirror, a->p, a->bytes, cudaMemcpyDefault, streams[FREE]));
    CHECK(cudaStreamSynchronize(streams[FREE]));
    printf("%s %08x\n", what, checksum(a->mirror, a->bytes));
}

// Rows, planes and boxes of one array into another's.
static void boxes(array *to, array *from, size_t width, size_t rows, size_t planes)
{
    act({{to, true}, {from, false}}, [&](cudaStream_t s) {
        cudaMemcpy3DParms c = {};

        c.srcPtr = make_cudaPitchedPtr(from->p, width, width, rows);
        c.dstPtr = make_cudaPitchedPtr(to->p, width, width, rows);
        c.srcPos = make_cudaPos(width / 8, rows / 4, 0);
        c.dstPos = make_cudaPos(width / 4, rows / 8, 0);
        c.extent = make_cudaExtent(width / 2, rows / 2, planes);
        c.kind = cudaMemcpyDefault;
        CHECK(cudaMemcpy3DAsync(&c, s));
    });
}

// Kernels that run whole: the last CTA there sums up, and where a store goes hangs on data.
__device__ int words[64];

__global__ void last_sums(unsigned *ticket, const int *in, int *out, int n)
{
    __shared__ bool is_last;
    unsigned sum = 0;

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += (unsigned)in[i];
    atomicAdd(ticket + 1, sum);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        is_last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
    __syncthreads();
    if (is_last && threadIdx.x == 0) {
        out[n / 2] = (int)atomicExch(ticket + 1, 0);
        words[n & 63] += 3;
    }
}
__global__ void scattered(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        atomicAdd(&out[(unsigned)in[i] % (unsigned)n], i);
}
__global__ void with_words(int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] += words[i & 63];
}

static void begin(unsigned seed, const void *table)
{
    chance = seed;
    CHECK(cudaStreamCreate(&streams[BLOCKING]));
    CHECK(cudaStreamCreate(&streams[SECOND]));
    CHECK(cudaStreamCreateWithFlags(&streams[FREE], cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithPriority(&streams[URGENT], cudaStreamNonBlocking, -1));
    tickets.bytes = 8;
    CHECK(cudaMalloc(&tickets.p, 8));
    CHECK(cudaMemset(tickets.p, 0, 8));
    all_words.kind = array::SYMBOL;
    all_words.bytes = sizeof words;
    CHECK(cudaGetSymbolAddress((void **)&all_words.p, words));
    all_table.bytes = 256;
    known(&tickets);
    known(&all_words);
    known(&all_table);
    memcpy(all_table.mirror, table, all_table.bytes);
}
static void sums(array *in, array *out, int n)
{
    act({{&tickets, true}, {&all_words, true}, {in, false}, {out, true}}, [&](cudaStream_t s) {
        launch(last_sums, 40, 128, s, (unsigned *)tickets.p, (const int *)in->p,
               (int *)out->p, n);
    });
}
static void scatter(array *in, array *out, int n)
{
    act({{in, false}, {out, true}}, [&](cudaStream_t s) {
        launch(scattered, (n + 127) / 128, 128, s, (const int *)in->p, (int *)out->p, n);
    });
}
// A variable of the device, by its name and by its address.
static void symbol(array *ints, int n)
{
    switch (draw(4)) {
    case 0:
        act({{&all_words, true}, {ints, false}}, [&](cudaStream_t s) {
            CHECK(cudaMemcpyToSymbolAsync(words, ints->p, 128, 64, cudaMemcpyDefault, s));
        });
        break;
    case 1:
        act({{&all_words, false}, {ints, true}}, [&](cudaStream_t s) {
            CHECK(cudaMemcpyFromSymbolAsync(ints->p + n / 8 * 4, words, 256, 0,
                                            cudaMemcpyDefault, s));
        });
        break;
    case 2:
        act({{&all_words, true}}, [&](cudaStream_t s) {
            CHECK(cudaMemsetAsync(all_words.p + 32, 1, 64, s));
        });
        break;
    }
    act({{&all_words, false}, {ints, true}}, [&](cudaStream_t s) {
        launch(with_words, (n + 127) / 128, 128, s, (int *)ints->p, n);
    });
}
