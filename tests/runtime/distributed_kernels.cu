/* SPDX-License-Identifier: Apache-2.0 */
/* Plain kernels for the tests of distributed arrays. */
#include <proact/device.h>

static __device__ unsigned here(void)
{
    return proact_local_cta() * proact_cta_size_x() + proact_thread_x();
}

/* The PTX that compilers emit for atomicAdd() and __threadfence(). */
static __device__ unsigned take(unsigned *next)
{
    unsigned arrival;

    asm volatile("{\n\t.reg .b64 %%to;\n\tcvta.to.global.u64 %%to, %1;\n\t"
                 "atom.global.add.u32 %0, [%%to], 1;\n\t}"
                 : "=r"(arrival)
                 : "l"(next)
                 : "memory");
    return arrival;
}

static __device__ void add_float(float *bins, unsigned bin, float what)
{
    asm volatile("{\n\t.reg .b64 %%to;\n\tcvta.to.global.u64 %%to, %0;\n\t"
                 "mad.wide.u32 %%to, %1, 4, %%to;\n\t"
                 "red.global.add.f32 [%%to], %2;\n\t}" ::"l"(bins),
                 "r"(bin), "f"(what)
                 : "memory");
}

static __device__ unsigned ctas(void)
{
    unsigned n;

    asm("mov.u32 %0, %%nctaid.x;" : "=r"(n));
    return n;
}

static __device__ void fence(void)
{
    asm volatile("membar.gl;" ::: "memory");
}

extern "C" __global__ void scatters(unsigned *out, const unsigned *where, unsigned n)
{
    unsigned i = here();

    if (i < n)
        out[where[i]] = i;
}

/* A store to a replicated array. */
extern "C" __global__ void gathers(unsigned *out, const unsigned *table,
                                   const unsigned *where, unsigned n)
{
    unsigned i = here();

    if (i < n)
        out[i] = table[where[i]] + 1;
}

extern "C" __global__ void sums(float *bins, const unsigned *in, unsigned n)
{
    unsigned i = here();

    if (i < n)
        add_float(bins, in[i] % 64, 0.5f);
}

/* Appends the odd values to `out`, in any order. */
extern "C" __global__ void compacts(unsigned *out, unsigned *next, const unsigned *in,
                                    unsigned n)
{
    unsigned i = here();

    if (i < n && (in[i] & 1))
        out[take(next)] = in[i];
}

/* The last CTA adds up the partial sums of all CTAs and resets the arrival counter. */
extern "C" __global__ void adds_up(unsigned *sum, unsigned *partial, unsigned *arrival,
                                   const unsigned *in, unsigned n)
{
    unsigned first = here() - proact_thread_x(), all = 0;

    if (proact_thread_x())
        return;
    for (unsigned i = first; i < first + proact_cta_size_x() && i < n; i++)
        all += in[i];
    partial[proact_local_cta()] = all;
    fence();
    if (take(arrival) != ctas() - 1)
        return;
    fence();
    all = 0;
    for (unsigned c = 0; c < ctas(); c++)
        all += ((volatile unsigned *)partial)[c];
    sum[0] = all;
    arrival[0] = 0;
}

extern "C" __global__ void blurs(const unsigned *in, unsigned *out, unsigned n)
{
    unsigned i = here();

    if (i < n)
        out[i] = (i ? in[i - 1] : 0) + 2 * in[i] + (i + 1 < n ? in[i + 1] : 0);
}

/* Stores to one of two arrays. */
extern "C" __global__ void either(unsigned *one, unsigned *other, const unsigned *in,
                                  unsigned n)
{
    unsigned i = here();

    if (i < n)
        (in[i] & 1 ? one : other)[i] = i + 1;
}

/* Each CTA reads the word of the CTA at the opposite end if its flag is set, and computes
   the word otherwise. The pointer to the flag may refer to one of two arrays. */
extern "C" __global__ void takes_over(unsigned *out, unsigned *words, unsigned *done,
                                      const unsigned *other, unsigned n)
{
    unsigned c = proact_local_cta(), across = ctas() - 1 - c, spent = c;
    const volatile unsigned *noted = n ? done : other;

    if (proact_thread_x())
        return;
    words[c] = 3 * c + 1;
    fence();
    ((volatile unsigned *)done)[c] = 1;
    for (unsigned i = 0; i < n / 256; i++)
        spent = spent * 1664525 + 1013904223;
    bool is_there = spent == 1 || noted[across];
    fence();
    out[c] = is_there ? ((volatile unsigned *)words)[across] : 3 * across + 1;
}

/* Exchanges words and stores the previous values. */
extern "C" __global__ void changes(unsigned *was, unsigned *word, const unsigned *where,
                                   unsigned n)
{
    unsigned i = here(), old;

    if (i >= n)
        return;
    asm volatile("{\n\t.reg .b64 %%to;\n\tcvta.to.global.u64 %%to, %1;\n\t"
                 "mad.wide.u32 %%to, %2, 4, %%to;\n\t"
                 "atom.global.exch.b32 %0, [%%to], %3;\n\t}"
                 : "=r"(old)
                 : "l"(word), "r"(where[i]), "r"(i + 1)
                 : "memory");
    was[i] = old;
}

/* Atomic addition of two half-precision values through a generic address, as in atomicAdd()
   of __half2 and cuda::atomic_ref. */
extern "C" __global__ void adds_halves(unsigned *sums, const unsigned *where, unsigned n)
{
    unsigned i = here(), was;

    if (i < n)
        asm volatile("{ atom.add.noftz.f16x2 %0, [%1], %2; }"
                     : "=r"(was)
                     : "l"(sums + where[i] / 4), "r"(0x40003c00) /* 1 and 2 */
                     : "memory");
}

/* Each CTA waits for the previous CTA and continues from its result. */
extern "C" __global__ void lines_up(unsigned *sums, const unsigned *in, unsigned n)
{
    const unsigned c = proact_local_cta();
    volatile unsigned *at = sums;
    unsigned before = 1;

    if (proact_thread_x() || c >= n)
        return;
    while (c && !(before = at[c - 1]))
        ;
    at[c] = before + (in[c] & 15);
}

/* Annotated: the library does not change the scope of its atomics. */
extern "C" __global__ void marked_fetch_atomics(unsigned *out, unsigned *next, unsigned n,
                                                struct proact_partition partition)
{
    unsigned i = proact_cta_x(&partition) * proact_cta_size_x() + proact_thread_x();

    if (i < n)
        proact_store(&partition, 0, &out[i], take(next) != n);
    proact_done(&partition);
}

extern "C" __global__ void marked_sums(unsigned *out, unsigned *next, unsigned n,
                                       struct proact_partition partition)
{
    unsigned i = proact_cta_x(&partition) * proact_cta_size_x() + proact_thread_x();

    if (i < n) {
        asm volatile("red.sys.add.u32 [%0], %1;" ::"l"(next), "r"(i) : "memory");
        proact_store(&partition, 0, &out[i], i);
    }
    proact_done(&partition);
}
