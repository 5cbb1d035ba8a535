// SPDX-License-Identifier: Apache-2.0
// Memory of every kind, and operations of random host code on it.
#include "calls.cuh"

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

// Modification by the host: directly, or in a callback of a stream.
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

// Freed and allocated again with the same content.
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

static void print_array(const char *what, array *a)
{
    settle(a, false);
    CHECK(cudaMemcpyAsync(a->mirror, a->p, a->bytes, cudaMemcpyDefault, streams[FREE]));
    CHECK(cudaStreamSynchronize(streams[FREE]));
    printf("%s %08x\n", what, checksum(a->mirror, a->bytes));
}

// Copies of rows, planes and boxes from one array to another.
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

// Kernels that run on one device: the last CTA adds up, and store addresses depend on data.
__device__ int words[64];

__global__ void last_sums(unsigned *arrival, const int *in, int *out, int n)
{
    __shared__ bool is_last;
    unsigned sum = 0;

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += (unsigned)in[i];
    atomicAdd(arrival + 1, sum);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        is_last = atomicInc(arrival, gridDim.x - 1) == gridDim.x - 1;
    __syncthreads();
    if (is_last && threadIdx.x == 0) {
        out[n / 2] = (int)atomicExch(arrival + 1, 0);
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
    order_counters.bytes = 8;
    CHECK(cudaMalloc(&order_counters.p, 8));
    CHECK(cudaMemset(order_counters.p, 0, 8));
    all_words.kind = array::SYMBOL;
    all_words.bytes = sizeof words;
    CHECK(cudaGetSymbolAddress((void **)&all_words.p, words));
    all_table.bytes = 256;
    known(&order_counters);
    known(&all_words);
    known(&all_table);
    memcpy(all_table.mirror, table, all_table.bytes);
}
static void sums(array *in, array *out, int n)
{
    act({{&order_counters, true}, {&all_words, true}, {in, false}, {out, true}}, [&](cudaStream_t s) {
        launch(last_sums, 40, 128, s, (unsigned *)order_counters.p, (const int *)in->p,
               (int *)out->p, n);
    });
}
static void scatter(array *in, array *out, int n)
{
    act({{in, false}, {out, true}}, [&](cudaStream_t s) {
        launch(scattered, (n + 127) / 128, 128, s, (const int *)in->p, (int *)out->p, n);
    });
}
// A device variable, by name and by address.
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
