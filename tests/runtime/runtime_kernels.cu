/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels for the tests of the runtime: one correct kernel and several faulty ones. */
#include "waiting.cuh"
#include "working.cuh"

extern "C" __global__ void fill(unsigned *out, unsigned n, unsigned factor,
                                struct proact_partition partition)
{
    unsigned i = proact_cta_x(&partition) * proact_cta_size_x() + proact_thread_x();

    if (i < n)
        proact_store(&partition, 0, &out[i], factor * (i + 1));
    proact_done(&partition);
}

extern "C" __global__ void copy_in(const unsigned *in, unsigned *out, unsigned n,
                                   struct proact_partition partition)
{
    unsigned i = proact_cta_x(&partition) * proact_cta_size_x() + proact_thread_x();

    if (i < n)
        proact_store(&partition, 0, &out[i], in[i]);
    proact_done(&partition);
}

extern "C" __global__ void forgets(unsigned *out, unsigned n,
                                   struct proact_partition partition)
{
    unsigned i = proact_cta_x(&partition) * proact_cta_size_x() + proact_thread_x();

    if (i < n)
        proact_store(&partition, 0, &out[i], i);
}

extern "C" __global__ void traps(unsigned *out, struct proact_partition partition)
{
    (void)out;
    asm volatile("trap;");
    proact_done(&partition);
}

/* Plain kernels. */
struct view {
    unsigned *out;
    unsigned n, factor;
};

extern "C" __global__ void plain(struct view v)
{
    unsigned i = proact_local_cta() * proact_cta_size_x() + proact_thread_x();

    if (i < v.n)
        v.out[i] = v.factor * (i + 1);
}

static __device__ unsigned place_y(void)
{
    unsigned y;

    asm("mov.u32 %0, %%ctaid.y;" : "=r"(y));
    return y;
}

/* Each CTA stores its index in a two-dimensional grid. */
extern "C" __global__ void places(unsigned *out, unsigned width, unsigned n)
{
    unsigned x = proact_local_cta(), y = place_y();
    unsigned i = (y * width + x) * proact_thread_count() + proact_thread_index();

    if (i < n)
        out[i] = 1000 * y + x;
}

/* Stores to the CTA's own words, or to those of the next CTA. */
extern "C" __global__ void neighbours(unsigned *out, unsigned n)
{
    unsigned i = (proact_local_cta() + (proact_thread_x() & 1)) * proact_cta_size_x();

    if (i < n)
        out[i] = i;
}

extern "C" __global__ void scatters(unsigned *out, const unsigned *where, unsigned n)
{
    unsigned i = proact_local_cta() * proact_cta_size_x() + proact_thread_x();

    if (i < n)
        out[where[i]] = i;
}

/* A CTA writes some columns of every row. */
extern "C" __global__ void columns(unsigned *out, unsigned width, unsigned rows)
{
    unsigned x = proact_local_cta() * proact_cta_size_x() + proact_thread_x();

    for (unsigned y = 0; y < rows; y++)
        out[y * width + x] = y * width + x + 1;
}

/* The PTX that compilers emit for atomicAdd(), atomicMax() and the like. */
#define REDUCE(how, to, index, what)                                                       \
    asm volatile("{\n\t.reg .b64 %%to;\n\tcvta.to.global.u64 %%to, %0;\n\t"                \
                 "mad.wide.u32 %%to, %1, 4, %%to;\n\t"                                     \
                 "red.global." how " [%%to], %2;\n\t}" ::"l"(to),                          \
                 "r"(index), "r"(what)                                                     \
                 : "memory")

/* Indirect atomics, and a plain store. */
extern "C" __global__ void counts(unsigned *out, unsigned *bins, unsigned *most,
                                  const unsigned *in, unsigned n)
{
    unsigned i = proact_local_cta() * proact_cta_size_x() + proact_thread_x();

    if (i >= n)
        return;
    out[i] = 2 * in[i];
    REDUCE("add.u32", bins, in[i] % 64, 1);
    REDUCE("max.u32", most, 0, in[i]);
}

/* Atomics on an array that has other accesses too. */
extern "C" __global__ void counts_and_reads(unsigned *out, const unsigned *bins, unsigned n)
{
    unsigned i = proact_local_cta() * proact_cta_size_x() + proact_thread_x();

    if (i < n)
        REDUCE("add.u32", out, bins[i] % 64, 1);
}

extern "C" __global__ void counts_and_stores(unsigned *out, unsigned *bins, unsigned n)
{
    unsigned i = proact_local_cta() * proact_cta_size_x() + proact_thread_x();

    if (i >= n)
        return;
    bins[i] = i;
    REDUCE("add.u32", out, i % 64, 1);
}

extern "C" __global__ void counts_two_ways(unsigned *out, unsigned *most, unsigned n)
{
    unsigned i = proact_local_cta() * proact_cta_size_x() + proact_thread_x();

    if (i >= n)
        return;
    REDUCE("add.u32", out, i % 64, 1);
    REDUCE("max.u32", most, 64, i);
}

extern "C" __global__ void counts_two_sizes(unsigned *out, unsigned long long *most,
                                            unsigned n)
{
    unsigned i = proact_local_cta() * proact_cta_size_x() + proact_thread_x();

    if (i >= n)
        return;
    REDUCE("add.u32", out, i % 64, 1);
    asm volatile("red.relaxed.gpu.global.max.u64 [%0], %1;" ::"l"(most + 40), "l"(i * 1ull)
                 : "memory");
}

extern "C" __global__ void counts_floats(unsigned *out, const unsigned *in, unsigned n)
{
    unsigned i = proact_local_cta() * proact_cta_size_x() + proact_thread_x();

    if (i < n)
        REDUCE("add.f32", out, in[i] % 64, 0x3f800000);
}

/* Each operation, on 32-bit and 64-bit words, with pseudo-random indices and values. */
#define REDUCES(name, type, bits, factor, how)                                             \
    extern "C" __global__ void name(type *to, const unsigned *in, unsigned n)              \
    {                                                                                      \
        unsigned i = proact_local_cta() * proact_cta_size_x() + proact_thread_x();         \
                                                                                           \
        if (i >= n)                                                                        \
            return;                                                                        \
        const unsigned v = in[i];                                                          \
                                                                                           \
        asm volatile("{\n\t.reg .b64 %%to;\n\tcvta.to.global.u64 %%to, %0;\n\t"            \
                     "mad.wide.u32 %%to, %1, %3, %%to;\n\t"                                \
                     "red.global." how " [%%to], %2;\n\t}" ::"l"(to),                      \
                     "r"(v % 997), bits((type)(v * (type)factor)), "n"(sizeof(type))       \
                     : "memory");                                                          \
    }
#define REDUCES_WORDS(name, how) REDUCES(name, unsigned, "r", 2654435761u, how)
#define REDUCES_PAIRS(name, how) REDUCES(name, proact_u64, "l", 0x9e3779b97f4a7c15ull, how)
REDUCES_WORDS(reduces_add_u32, "add.u32")
REDUCES_WORDS(reduces_min_u32, "min.u32")
REDUCES_WORDS(reduces_min_s32, "min.s32")
REDUCES_WORDS(reduces_max_u32, "max.u32")
REDUCES_WORDS(reduces_max_s32, "max.s32")
REDUCES_WORDS(reduces_and_b32, "and.b32")
REDUCES_WORDS(reduces_or_b32, "or.b32")
REDUCES_WORDS(reduces_xor_b32, "xor.b32")
REDUCES_PAIRS(reduces_add_u64, "add.u64")
REDUCES_PAIRS(reduces_min_u64, "min.u64")
REDUCES_PAIRS(reduces_min_s64, "min.s64")
REDUCES_PAIRS(reduces_max_u64, "max.u64")
REDUCES_PAIRS(reduces_max_s64, "max.s64")
REDUCES_PAIRS(reduces_and_b64, "and.b64")
REDUCES_PAIRS(reduces_or_b64, "or.b64")
REDUCES_PAIRS(reduces_xor_b64, "xor.b64")

/* Floating-point operations on integral values, in any order. Element 0 receives -0. */
#define REDUCES_FLOATS(name, type, bits, how)                                              \
    extern "C" __global__ void name(type *to, const unsigned *in, unsigned n)              \
    {                                                                                      \
        unsigned i = proact_local_cta() * proact_cta_size_x() + proact_thread_x();         \
                                                                                           \
        if (i >= n)                                                                        \
            return;                                                                        \
        const unsigned v = in[i];                                                          \
        const type more = v % 997 ? (type)((int)(v >> 4 & 63) - 32) : -(type)0;            \
                                                                                           \
        asm volatile("{\n\t.reg .b64 %%to;\n\tcvta.to.global.u64 %%to, %0;\n\t"            \
                     "mad.wide.u32 %%to, %1, %3, %%to;\n\t"                                \
                     "red.global." how " [%%to], %2;\n\t}" ::"l"(to),                      \
                     "r"(v % 997), bits(more), "n"(sizeof(type))                           \
                     : "memory");                                                          \
    }
REDUCES_FLOATS(reduces_add_f32, float, "f", "add.f32")
REDUCES_FLOATS(reduces_add_f64, double, "d", "add.f64")

/* Stores only for odd elements: memory decides whether a thread stores, but not where. */
extern "C" __global__ void doubles_odd(unsigned *out, const unsigned *in, unsigned n)
{
    unsigned i = proact_local_cta() * proact_cta_size_x() + proact_thread_x();

    if (i < n && (in[i] & 1))
        out[i] = 2 * in[i];
}

/* Either pointer may be NULL. */
extern "C" __global__ void both(unsigned *one, unsigned *other, unsigned n, unsigned factor)
{
    unsigned i = proact_local_cta() * proact_cta_size_x() + proact_thread_x();

    if (i < n && one)
        one[i] = (i + 1) * factor;
    if (i < n && other)
        other[i] = (i + 1) * (factor + 1);
}

/* One store into one of two arrays. */
extern "C" __global__ void either(unsigned *one, unsigned *other, unsigned n)
{
    unsigned i = proact_local_cta() * proact_cta_size_x() + proact_thread_x();
    unsigned *to = proact_local_cta() & 1 ? one : other;

    if (i < n)
        to[i] = i + 1;
}

/* Loads of eight bytes that are no addresses; the next kernel loads addresses. */
extern "C" __global__ void doubles_long(unsigned long long *out, unsigned n)
{
    unsigned i = proact_local_cta() * proact_cta_size_x() + proact_thread_x();

    if (i < n)
        out[i] *= 2;
}

extern "C" __global__ void follows(unsigned *out, unsigned *const *from, unsigned n)
{
    unsigned i = proact_local_cta() * proact_cta_size_x() + proact_thread_x();

    if (i < n)
        out[i] = from[0][i];
}

/* A function that only some kernels call. */
extern "C" __device__ __attribute__((noinline)) unsigned follow(unsigned *const *from,
                                                                unsigned i)
{
    return from[i - i % 1024][i];
}

extern "C" __global__ void follows_called(unsigned *out, unsigned *const *from, unsigned n)
{
    unsigned i = proact_local_cta() * proact_cta_size_x() + proact_thread_x();

    if (i < n)
        out[i] = follow(from, i);
}

/* A part of a word is used as an index, not as an address. */
extern "C" __global__ void picks(unsigned *out, const unsigned *from, unsigned n)
{
    unsigned i = proact_local_cta() * proact_cta_size_x() + proact_thread_x();

    if (i < n) {
        unsigned part = (unsigned)((const volatile proact_u64 *)from)[i / 2];

        out[i] = ((const volatile unsigned *)from)[part % 7];
    }
}

/* The same with an address in two halves. */
extern "C" __global__ void follows_halves(unsigned *out, const unsigned *from, unsigned n)
{
    unsigned i = proact_local_cta() * proact_cta_size_x() + proact_thread_x();
    const unsigned *there =
        (const unsigned *)((proact_u64)((const volatile unsigned *)from)[1] << 32 |
                           ((const volatile unsigned *)from)[0]);

    if (i < n)
        out[i] = there[i] + 1;
}

/* An element and its two neighbours; then only the element at the opposite end. */
extern "C" __global__ void blurs(const unsigned *in, unsigned *out, unsigned n)
{
    unsigned i = proact_local_cta() * proact_cta_size_x() + proact_thread_x();

    if (i < n)
        out[i] = (i ? in[i - 1] : 0) + 2 * in[i] + (i + 1 < n ? in[i + 1] : 0);
}

/* One line of threads over rows of 98 words with a pitch of 101, for n = 5000. The compiler
   does not see that quotient and remainder come from one division. */
extern "C" __global__ void fields(const unsigned *in, unsigned *out, unsigned n)
{
    unsigned t = proact_local_cta() * proact_cta_size_x() + proact_thread_x();
    unsigned at = (t / (n / 51) + 1) * 101 + t % ((n + 1) / 51) + 2;

    if (t < (n / 101 - 2) * (n / 51))
        out[at] = in[at - 101] + 2 * in[at] + in[at + 101];
}

/* Like `blurs`, annotated, with half of each CTA and a tile that ends with the array. */
extern "C" __global__ void blurs_by_tile(const unsigned *in, unsigned *out, unsigned n,
                                         struct proact_partition partition)
{
    unsigned tile = proact_cta_size_x(), first = proact_cta_x(&partition) * tile;
    unsigned last = first + tile < n ? first + tile : n;

    if (proact_thread_x() >= tile / 2)
        last = 0;
    for (unsigned i = first + proact_thread_x(); i < last; i += tile / 2)
        proact_store(&partition, 0, &out[i],
                     (i ? in[i - 1] : 0) + 2 * in[i] + (i + 1 < n ? in[i + 1] : 0));
    proact_done(&partition);
}

/* Like `blurs`, on a ring without ends. */
extern "C" __global__ void rings(const unsigned *in, unsigned *out, unsigned n)
{
    unsigned i = proact_local_cta() * proact_cta_size_x() + proact_thread_x();

    if (i < n)
        out[i] = in[(i + n - 1) % n] + 2 * in[i] + in[(i + 1) % n];
}

/* The first cell of each row, from the cells above and below. */
extern "C" __global__ void first_cells(const unsigned *in, unsigned *out, unsigned rows,
                                       unsigned pitch)
{
    unsigned y = proact_local_cta() * proact_cta_size_x() + proact_thread_x();

    if (y < rows)
        out[y * pitch] = (y ? in[(y - 1) * pitch] : 0) + 2 * in[y * pitch] +
                         (y + 1 < rows ? in[(y + 1) * pitch] : 0);
}

/* Cells of rows with four more words of pitch, from the cells below. */
extern "C" __global__ void cells(const unsigned *in, unsigned *out, unsigned h, unsigned w)
{
    unsigned t = proact_local_cta() * proact_cta_size_x() + proact_thread_x();

    if (t / (w - 4) < h)
        out[t / (w - 4) * w + t % (w - 4)] = in[t / (w - 4) * w + t % (w - 4)] + 1;
}

/* The first cell of each row, if it is odd. */
extern "C" __global__ void odd_cells(const unsigned *in, unsigned *out, unsigned rows,
                                     unsigned pitch)
{
    unsigned y = proact_local_cta() * proact_cta_size_x() + proact_thread_x();

    if (y < rows && in[y * pitch] & 1)
        out[y * pitch] = in[y * pitch] + 2;
}

/* Planes of 1000 words. A CTA updates 13 words of each plane and reads one more. */
extern "C" __global__ void planes(const unsigned *in, unsigned *out, unsigned n)
{
    unsigned i = proact_local_cta() * 13 + proact_thread_x();

    if (proact_thread_x() >= 13 || i >= 1000)
        return;
    for (unsigned z = 0; z < n / 1000; z++)
        out[z * 1000 + i] = 3 * in[z * 1000 + i] + (i < 999 ? in[z * 1000 + i + 1] : 0);
}

/* Parameters of kernels that read one of several arrays, or all but the last. */
struct many {
    const unsigned *array[4];
};

extern "C" __global__ void chooses(struct many from, unsigned *out, unsigned n,
                                   unsigned which)
{
    unsigned i = proact_local_cta() * proact_cta_size_x() + proact_thread_x();

    if (i < n)
        out[i] = from.array[which][i] + 1;
}

extern "C" __global__ void sums_some(struct many from, unsigned *out, unsigned n,
                                     unsigned count)
{
    unsigned i = proact_local_cta() * proact_cta_size_x() + proact_thread_x(), sum = 0;

    for (unsigned k = 0; i < n && k < count; k++)
        sum += from.array[k][i];
    if (i < n)
        out[i] = sum;
}

extern "C" __global__ void turns(const unsigned *in, unsigned *out, unsigned n)
{
    unsigned i = proact_local_cta() * proact_cta_size_x() + proact_thread_x();

    if (i < n)
        out[i] = in[n - 1 - i];
}

/* Updates the array in place. */
extern "C" __global__ void grows(unsigned *out, unsigned n)
{
    unsigned i = proact_local_cta() * proact_cta_size_x() + proact_thread_x();

    if (i < n)
        out[i] = 3 * out[i] + i;
}

/* Memory decides which elements are read and written. */
extern "C" __global__ void gathers(const unsigned *in, unsigned *out, unsigned n)
{
    unsigned i = proact_local_cta() * proact_cta_size_x() + proact_thread_x();

    if (i < n && in[i] % 3)
        out[i] = in[in[i] % n] + 1;
}

__device__ static inline unsigned axis_position(unsigned dimension)
{
    unsigned cta, size, thread;

    if (dimension == 0)
        return proact_local_cta() * proact_cta_size_x() + proact_thread_x();
    if (dimension == 1) {
        asm("mov.u32 %0, %%ctaid.y;" : "=r"(cta));
        asm("mov.u32 %0, %%ntid.y;" : "=r"(size));
        asm("mov.u32 %0, %%tid.y;" : "=r"(thread));
    } else {
        asm("mov.u32 %0, %%ctaid.z;" : "=r"(cta));
        asm("mov.u32 %0, %%ntid.z;" : "=r"(size));
        asm("mov.u32 %0, %%tid.z;" : "=r"(thread));
    }
    return cta * size + thread;
}

/* A stencil over neighbours in the slowest dimension. */
extern "C" __global__ void smooths(const unsigned *in, unsigned *out, unsigned width,
                                   unsigned height, unsigned depth)
{
    unsigned x = axis_position(0), y = axis_position(1), z = axis_position(2);
    unsigned slice = depth > 1 ? width * height : width;
    unsigned i = (z * height + y) * width + x, n = width * height * depth;

    if (x < width && y < height && z < depth && i >= slice && i < n - slice)
        out[i] = in[i - slice] + 2 * in[i] + in[i + slice];
}

/* Sets two flags in one word, and doubles the input. */
extern "C" __global__ void notes_two(unsigned *out, unsigned *noted, unsigned n)
{
    unsigned i = axis_position(0);

    if (i >= n)
        return;
    if (i % 2)
        asm volatile("red.or.b32 [%0], 1;" ::"l"(noted) : "memory");
    else
        asm volatile("red.or.b32 [%0], 2;" ::"l"(noted) : "memory");
    out[i] = 2 * i;
}

/* Like `plain`, but it takes some microseconds. */
extern "C" __global__ void slow(struct view v)
{
    unsigned i = proact_local_cta() * proact_cta_size_x() + proact_thread_x(), x = 0;

    for (unsigned n = 0; n < 4000; n++)
        x = (x ^ n) * v.factor + i;
    if (i < v.n)
        v.out[i] = v.factor * (i + 1) + (x == 0x12345678);
}
