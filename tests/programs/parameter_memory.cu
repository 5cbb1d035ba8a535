/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels whose arguments are entirely in memory: objects in a constant buffer that all
   kernels share, or behind a pointer, and structs of sizes and strides. The memory changes
   between launches: by copies from pageable and pinned memory and in other streams, field
   by field, by fills, by copies on the device, by kernels, and by host stores to shared
   memory. */
#include "programs.h"

enum { N = 6000, BUFFER = 32768, PER = 128, ROUNDS = 3 };

struct params {
    int count, stride, first;
    float by;
};

struct arrays {
    const float *from;
    float *to;
    int count, stride;
};

struct scale {
    arrays a;
    float by;
    __device__ void operator()(int i) const
    {
        if (i < a.count)
            a.to[i * a.stride] = by * a.from[i * a.stride] + 1;
    }
};

/* More data than most kernels read. */
struct blend {
    float weight[24];
    arrays a;
    __device__ void operator()(int i) const
    {
        if (i > 0 && i < a.count - 1)
            a.to[i] = weight[3] * a.from[i - 1] + weight[4] * a.from[i + 1];
    }
};

__constant__ unsigned long buffer[BUFFER / sizeof(unsigned long)];
__constant__ arrays chosen;
__constant__ params shape;

template <class Work> __global__ void from_constants(void)
{
    (*(const Work *)buffer)(blockIdx.x *blockDim.x + threadIdx.x);
}

template <class Work> __global__ void from_memory(const Work *work)
{
    (*work)(blockIdx.x *blockDim.x + threadIdx.x);
}

__global__ void from_struct(void)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < chosen.count)
        chosen.to[i * chosen.stride] += chosen.from[i * chosen.stride] / 2;
}

/* Only numbers. */
__global__ void strided(float *out, const float *in, const params *p)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < p->count)
        out[i * p->stride + p->first] = p->by * in[i * p->stride + p->first] + 1;
}

__global__ void rows(float *out, const float *in, const params *p)
{
    for (int k = threadIdx.x; k < p->stride; k += blockDim.x)
        out[blockIdx.x * p->stride + k] = in[blockIdx.x * p->stride + k] - p->first;
}

/* One struct for each row of CTAs, of an odd size, with 64-bit strides and sizes. */
struct part {
    float *to;
    long stride;
    const float *from;
    int count, salt;
    long more;
};

__global__ void deal(const part *parts, const params *shapes)
{
    const part p = parts[blockIdx.y];
    const params s = shapes[blockIdx.y];

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < p.count;
         i += gridDim.x * blockDim.x)
        p.to[i * p.stride + s.first] = p.from[i * s.stride] * s.by + p.salt % 7;
}

/* Loops over the fields of a struct: their addresses, and numbers. */
struct fields {
    float *of[6];
    int size, unused;
    float by[6];
    int shift[6];
    int last;
    __device__ void step(int i, int count) const
    {
        for (int k = 0; k < count && i < size; k++)
            of[k][i + shift[k]] = of[k][i + shift[k]] * by[k] + last;
    }
};

__constant__ fields all_fields;

__global__ void step_constant(int count)
{
    all_fields.step(blockIdx.x * blockDim.x + threadIdx.x, count);
}

__global__ void step_buffer(int count)
{
    ((const fields *)buffer)->step(blockIdx.x * blockDim.x + threadIdx.x, count);
}

__global__ void step_memory(const fields *f, int count)
{
    f->step(blockIdx.x * blockDim.x + threadIdx.x, count);
}

/* The store addresses do not depend on the loaded number. */
__global__ void shaped(float *out, const float *in, const float *by)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < shape.count)
        out[i * shape.stride + shape.first] = *by * in[i];
}

__global__ void set(params *p, int count, int stride, int first, float by)
{
    *p = params{count, stride, first, by};
}

__global__ void store_words(unsigned long *to, const unsigned long *from, int words)
{
    if (threadIdx.x < words)
        to[threadIdx.x] = from[threadIdx.x];
}

__global__ void begin(float *x, int salt)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < 2 * N)
        x[i] = (i * 37 + salt) % 101;
}

static float *x, *y;
static unsigned sum;

static void add(const float *of)
{
    static float host[2 * N];

    CHECK(cudaMemcpy(host, of, sizeof host, cudaMemcpyDeviceToHost));
    sum = sum * 31 + checksum(host, sizeof host);
}

static const int grid = (N + PER - 1) / PER;

/* From pinned memory, which the host reuses as soon as the copy is done. */
static void constants(void *pinned)
{
    cudaEvent_t done;

    CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
    for (int r = 0; r < ROUNDS; r++) {
        const scale s = {{x, y, N - r, 1 + r % 2}, 1.5f + r};
        blend b = {{0}, {y, x, N - 7 * r, 1}};

        b.weight[3] = 0.25f * r;
        b.weight[4] = 0.5f;
        memcpy(pinned, &s, sizeof s);
        CHECK(cudaMemcpyToSymbolAsync(buffer, pinned, sizeof s, 0, cudaMemcpyHostToDevice));
        CHECK(cudaEventRecord(done));
        from_constants<scale><<<grid, PER>>>();
        CHECK(cudaEventSynchronize(done));
        memcpy(pinned, &b, sizeof b);
        CHECK(cudaMemcpyToSymbolAsync(buffer, pinned, sizeof b, 0, cudaMemcpyHostToDevice));
        from_constants<blend><<<grid, PER>>>();
        CHECK(cudaDeviceSynchronize());
        memset(pinned, 0xff, sizeof b);
        add(x);
    }
    CHECK(cudaEventDestroy(done));
}

/* The pinned memory belongs to another kernel after the copy. */
static void written_pinned(void *pinned)
{
    unsigned long *shown, *words, next[sizeof(scale) / 8];

    CHECK(cudaHostGetDevicePointer((void **)&shown, pinned, 0));
    CHECK(cudaMalloc(&words, sizeof next));
    for (int r = 0; r < ROUNDS; r++) {
        const scale old = {{x, y, N, 1}, -1}, s = {{x, y, N / 2 + r, 1}, 3.0f + r};

        memcpy(pinned, &old, sizeof old);
        memcpy(next, &s, sizeof next);
        CHECK(cudaMemcpy(words, next, sizeof next, cudaMemcpyHostToDevice));
        store_words<<<1, 32>>>(shown, words, sizeof next / 8);
        CHECK(cudaMemcpyToSymbolAsync(buffer, pinned, sizeof s, 0, cudaMemcpyHostToDevice));
        from_constants<scale><<<grid, PER>>>();
        add(y);
    }
    CHECK(cudaFree(words));
}

/* Behind a pointer; also written by kernels, copies and fills. */
static void objects(void *pinned)
{
    scale *at, *other;

    CHECK(cudaMalloc(&at, BUFFER));
    CHECK(cudaMalloc(&other, BUFFER));
    for (int r = 0; r < ROUNDS; r++) {
        scale s = {{x, y, N - 11 * r, 1}, 0.5f + r};

        CHECK(cudaMemcpy(at, &s, sizeof s, cudaMemcpyHostToDevice));
        from_memory<<<grid, PER>>>(at);
        s.a.count = N / 2; /* one field, and two adjacent fields */
        CHECK(cudaMemcpy(&at->a.count, &s.a.count, 4, cudaMemcpyHostToDevice));
        from_memory<<<grid, PER>>>(at);
        s.a.from = y;
        s.a.to = x;
        CHECK(cudaMemcpy(&at->a, &s.a, 16, cudaMemcpyHostToDevice));
        from_memory<<<grid, PER>>>(at);
        add(x);
        s.a.count = N / 3 + r;
        memcpy(pinned, &s, sizeof s);
        CHECK(cudaMemcpyAsync(at, pinned, sizeof s, cudaMemcpyHostToDevice));
        from_memory<<<grid, PER>>>(at);
        CHECK(cudaMemset(&at->a.count, 0, 4));
        from_memory<<<grid, PER>>>(at); /* nothing */
        add(x);
        s.a.count = N - 3;
        CHECK(cudaMemcpy(other, &s, sizeof s, cudaMemcpyHostToDevice));
        CHECK(cudaMemcpy(at, other, sizeof s, cudaMemcpyDeviceToDevice));
        from_memory<<<grid, PER>>>(at);
        s.a.count = 77;
        CHECK(cudaMemcpy(other, &s, sizeof s, cudaMemcpyHostToDevice));
        store_words<<<1, 32>>>((unsigned long *)at, (unsigned long *)other, sizeof s / 8);
        from_memory<<<grid, PER>>>(at);
        add(x);
    }
    CHECK(cudaFree(at));
    CHECK(cudaFree(other));
}

static void numbers(void)
{
    params *p, *parts;
    float *by;

    CHECK(cudaMalloc(&parts, sizeof *parts));
    CHECK(cudaMalloc(&p, sizeof *p));
    CHECK(cudaMalloc(&by, sizeof *by));
    for (int r = 0; r < ROUNDS; r++) {
        params s = {N - r, 2, r & 1, 1.25f + r};

        CHECK(cudaMemcpy(p, &s, sizeof s, cudaMemcpyHostToDevice));
        CHECK(cudaMemcpy(by, &s.by, sizeof *by, cudaMemcpyHostToDevice));
        CHECK(cudaMemcpyToSymbol(shape, &s, sizeof s));
        strided<<<grid, PER>>>(y, x, p);
        rows<<<N / 10, 64>>>(x, y, p);
        shaped<<<grid, PER>>>(y, x, by);
        add(y);
        set<<<1, 1>>>(p, N / 2, 3, 5 - r, 0.5f); /* by the device only */
        strided<<<grid, PER>>>(x, y, p);
        set<<<1, 1>>>(p, N, 8 + r, 1, 0.5f);
        rows<<<N / 10, 64>>>(y, x, p);
        add(y);
        s.first = 2; /* the rest still has the device's values */
        CHECK(cudaMemcpy(&p->first, &s.first, 4, cudaMemcpyHostToDevice));
        rows<<<N / 10, 64>>>(x, y, p);
        add(x);
        s.stride = 12; /* everything is known again */
        CHECK(cudaMemcpy(p, &s, sizeof s, cudaMemcpyHostToDevice));
        rows<<<N / 10, 64>>>(y, x, p);
        add(y);
        /* one by one */
        s.count = N - 8;
        CHECK(cudaMemcpy(&parts->by, &s.by, 4, cudaMemcpyHostToDevice));
        CHECK(cudaMemcpy(&parts->count, &s.count, 4, cudaMemcpyHostToDevice));
        CHECK(cudaMemcpy(&parts->first, &s.first, 4, cudaMemcpyHostToDevice));
        s.stride = 2;
        CHECK(cudaMemcpy(&parts->stride, &s.stride, 4, cudaMemcpyHostToDevice));
        strided<<<grid, PER>>>(y, x, parts);
        add(y);
    }
    CHECK(cudaFree(p));
    CHECK(cudaFree(parts));
    CHECK(cudaFree(by));
}

static void dealt(void)
{
    enum { PARTS = 4, ROOM = N / 2 };
    part *parts;
    params *shapes;

    CHECK(cudaMalloc(&parts, PARTS * sizeof *parts));
    CHECK(cudaMalloc(&shapes, PARTS * sizeof *shapes));
    for (int r = 0; r < ROUNDS; r++) {
        part p[PARTS];
        params s[PARTS];

        for (int n = 0; n < PARTS; n++) {
            const int stride = 1 + (n + r) % 3;

            s[n] = params{0, 1 + n % 2, n, 0.5f * n};
            p[n] = part{y + n * ROOM, stride, x + (PARTS - 1 - n) * ROOM,
                        (ROOM - 8) / 3,
                        0x7f00 + n,
                        0x7fffff00000l + n};
        }
        CHECK(cudaMemcpy(parts, p, sizeof p, cudaMemcpyHostToDevice));
        CHECK(cudaMemcpy(shapes, s, sizeof s, cudaMemcpyHostToDevice));
        deal<<<dim3(3, PARTS), PER>>>(parts, shapes);
        add(y);
    }
    CHECK(cudaFree(parts));
    CHECK(cudaFree(shapes));
}

static void many_fields(void)
{
    fields f, *there;
    float *own[6];

    CHECK(cudaMalloc(&there, sizeof *there));
    for (int k = 0; k < 6; k++) {
        CHECK(cudaMalloc(&own[k], 2 * N * sizeof *own[k]));
        begin<<<blocks_for(2 * N, PER), PER>>>(own[k], 5 * k);
    }
    for (int r = 0; r < ROUNDS; r++) {
        for (int k = 0; k < 6; k++) {
            f.of[k] = own[(k + r) % 6];
            f.by[k] = 0.25f * (k + 1);
            f.shift[k] = 3 * k + r;
        }
        f.size = N - 9 * r;
        f.unused = 0x7fff;
        f.last = r;
        CHECK(cudaMemcpyToSymbol(all_fields, &f, sizeof f));
        CHECK(cudaMemcpyToSymbol(buffer, &f, sizeof f));
        CHECK(cudaMemcpy(there, &f, sizeof f, cudaMemcpyHostToDevice));
        for (int count = 2; count <= 6; count += 2) {
            step_constant<<<grid, PER>>>(count);
            step_buffer<<<grid, PER>>>(count);
            step_memory<<<grid, PER>>>(there, count);
        }
    }
    for (int k = 0; k < 6; k++) {
        add(own[k]);
        CHECK(cudaFree(own[k]));
    }
    CHECK(cudaFree(there));
}

/* In memory that the host shares. */
static void shared(params *pinned)
{
    params *p;

    CHECK(cudaMallocManaged(&p, sizeof *p));
    for (int r = 0; r < ROUNDS; r++) {
        *pinned = *p = params{N - r, 2, 1 - r % 2, 0.75f * r};
        strided<<<grid, PER>>>(x, y, p);
        rows<<<N / 10, 64>>>(x, y, pinned);
        set<<<1, 1>>>(p, N / 2 - r, 3, 2, 1.5f);
        strided<<<grid, PER>>>(y, x, p);
        set<<<1, 1>>>(pinned, N / 2 - r, 9, 2, 1.5f);
        rows<<<N / 10, 64>>>(x, y, pinned);
        add(x); /* which waits */
        add(y);
        p->count = N / 3;
        strided<<<grid, PER>>>(x, y, p);
        add(x);
    }
    CHECK(cudaFree(p));
}

/* In another stream, ordered by events; and by a kernel that receives the address. */
static void streams(void *pinned)
{
    unsigned long *words, *constant, next[sizeof(arrays) / 8];
    arrays *at = (arrays *)pinned;
    cudaStream_t copies, works;
    cudaEvent_t copied, worked;

    CHECK(cudaStreamCreateWithFlags(&copies, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&works, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&copied, cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&worked, cudaEventDisableTiming));
    CHECK(cudaEventRecord(worked, works));
    for (int r = 0; r < 2 * ROUNDS; r++, at++) {
        *at = r % 2 ? arrays{x, y, N - r, 1} : arrays{y, x, N - r, 2};
        CHECK(cudaStreamWaitEvent(copies, worked, 0));
        CHECK(cudaMemcpyToSymbolAsync(chosen, at, sizeof *at, 0, cudaMemcpyHostToDevice,
                                      copies));
        CHECK(cudaEventRecord(copied, copies));
        CHECK(cudaStreamWaitEvent(works, copied, 0));
        from_struct<<<grid, PER, 0, works>>>();
        CHECK(cudaEventRecord(worked, works));
    }
    CHECK(cudaDeviceSynchronize());
    add(x);
    CHECK(cudaMalloc(&words, sizeof next));
    CHECK(cudaGetSymbolAddress((void **)&constant, chosen));
    for (int r = 0; r < ROUNDS; r++) {
        const arrays a = {x, y, N / 2 + r, 1};

        memcpy(next, &a, sizeof next);
        CHECK(cudaMemcpy(words, next, sizeof next, cudaMemcpyHostToDevice));
        store_words<<<1, 32>>>(constant, words, sizeof next / 8);
        from_struct<<<grid, PER>>>();
        add(y);
    }
    CHECK(cudaFree(words));
    CHECK(cudaEventDestroy(copied));
    CHECK(cudaEventDestroy(worked));
    CHECK(cudaStreamDestroy(copies));
    CHECK(cudaStreamDestroy(works));
}

int main(void)
{
    void *pinned;

    CHECK(cudaMalloc(&x, 2 * N * sizeof *x));
    CHECK(cudaMalloc(&y, 2 * N * sizeof *y));
    CHECK(cudaMallocHost(&pinned, BUFFER));
    begin<<<blocks_for(2 * N, PER), PER>>>(x, 3);
    begin<<<blocks_for(2 * N, PER), PER>>>(y, 70);
    constants(pinned);
    written_pinned(pinned);
    objects(pinned);
    numbers();
    dealt();
    many_fields();
    shared((params *)pinned);
    streams(pinned);
    add(x);
    add(y);
    printf("all: %08x\n", sum);
    CHECK(cudaFreeHost(pinned));
    return verdict("parameter memory", sum != 0);
}
