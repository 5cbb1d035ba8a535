/* SPDX-License-Identifier: Apache-2.0 */
/* to[i] = 3 from[i + shift] + 1. The warps of a CTA arrive at different times, and CTAs
   from `slow` on arrive much later, so that a missing step has visible effects. */
#include <proact/device.h>

struct step {
    const proact_u32 *from;
    proact_u32 *to;
    proact_u32 count, shift, slow, lost;
};

PROACT_DEVICE_INLINE void dawdle(const struct step *s, proact_u32 cta)
{
    proact_u32 ns = (cta * 5 + proact_thread_x() / 32 * 3) % 7 * 200;

    asm volatile("nanosleep.u32 %0;" ::"r"(cta >= s->slow ? ns + 60000 : ns) : "memory");
}

PROACT_DEVICE_INLINE proact_u32 value(const struct step *s, proact_u32 i)
{
    return 3 * s->from[(i + s->shift) % s->count] + 1;
}

extern "C" __global__ void step(const proact_u32 *from, proact_u32 *to, proact_u32 count,
                                proact_u32 shift, proact_u32 slow, proact_u32 lost,
                                struct proact_partition partition)
{
    const struct step s = {from, to, count, shift, slow, lost};
    proact_u32 cta = proact_cta(&partition);
    proact_u32 i = cta * proact_cta_size_x() + proact_thread_x();

    dawdle(&s, cta);
    if (i < count)
        proact_store(&partition, 0, &to[i], value(&s, i));
    if (cta != lost)
        proact_done(&partition);
}

/* Like `step`, but each CTA stages its stores and sends them as two ranges. The staging
   buffer is refilled for the second range. */
extern "C" __global__ void stage(const proact_u32 *from, proact_u32 *to, proact_u32 count,
                                 proact_u32 shift, proact_u32 slow, proact_u32 lost,
                                 struct proact_partition partition)
{
    const struct step s = {from, to, count, shift, slow, lost};
    __shared__ __attribute__((aligned(16))) proact_u32 line[64];
    proact_u32 cta = proact_cta(&partition), size = proact_cta_size_x(), half = size / 2;

    dawdle(&s, cta);
#pragma unroll 1
    for (proact_u32 first = cta * size; first < (cta + 1) * size; first += half) {
        proact_u32 i = first + proact_thread_x(), end = first < count ? count - first : 0;

        proact_cta_sync();
        if (proact_thread_x() < half && i < count)
            line[proact_thread_x()] = value(&s, i);
        proact_store_bulk(&partition, 0, to + first, line, 4 * (end < half ? end : half));
    }
    if (cta != lost)
        proact_done(&partition);
}

/* Every CTA writes into every chunk of 1024 elements. */
extern "C" __global__ void spread(const proact_u32 *from, proact_u32 *to, proact_u32 count,
                                  proact_u32 shift, proact_u32 slow, proact_u32 lost,
                                  struct proact_partition partition)
{
    const struct step s = {from, to, count, shift, slow, lost};
    proact_u32 cta = proact_cta(&partition);

    for (proact_u32 i = cta * proact_cta_size_x() + proact_thread_x(); i < count; i += 1024)
        proact_store(&partition, 0, &to[i], value(&s, i));
    dawdle(&s, cta);
    proact_done(&partition);
}

/* Runs on device 0: its value-returning atomics prevent a split. */
extern "C" __global__ void whole(const proact_u32 *from, proact_u32 *to, proact_u32 count,
                                 proact_u32 shift, proact_u32 slow, proact_u32 lost)
{
    const struct step s = {from, to, count, shift, slow, lost};
    proact_u32 i = proact_local_cta() * proact_cta_size_x() + proact_thread_x();

    dawdle(&s, proact_local_cta());
    if (i < count) {
        proact_u32 old;

        asm volatile("atom.relaxed.gpu.exch.b32 %0, [%1], %2;"
                     : "=r"(old)
                     : "l"(&to[i]), "r"(value(&s, i))
                     : "memory");
    }
}

PROACT_DEVICE_INLINE proact_u32 load(const proact_u32 *from)
{
    proact_u32 v;

    asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(from) : "memory");
    return v;
}

/* 0, which the analysis cannot know. */
PROACT_DEVICE_INLINE proact_u32 nothing_of(proact_u32 v)
{
    proact_u32 none;

    asm volatile("and.b32 %0, %1, 0;" : "=r"(none) : "r"(v));
    return none;
}

/* Stores all words but to[shift], which is a flag. Every fourth CTA from `lost` on sets the
   flag, but the analysis finds that only memory decides. */
extern "C" __global__ void flags(const proact_u32 *from, proact_u32 *to, proact_u32 count,
                                 proact_u32 shift, proact_u32 slow, proact_u32 lost)
{
    const struct step s = {from, to, count, shift, slow, lost};
    proact_u32 cta = proact_local_cta(), i = cta * proact_cta_size_x() + proact_thread_x();

    dawdle(&s, cta);
    if (i < count && i != shift)
        to[i] = 3 * load(&from[i]) + 1;
    if (cta + nothing_of(load(from)) >= lost && cta % 4 == lost % 4)
        asm volatile("st.volatile.global.u32 [%0], 12345;" ::"l"(&to[shift]) : "memory");
}

/* A plain kernel whose reads and writes are known before the launch. */
extern "C" __global__ void plain(const proact_u32 *from, proact_u32 *to, proact_u32 count,
                                 proact_u32 shift, proact_u32 slow, proact_u32 lost)
{
    const struct step s = {from, to, count, shift, slow, lost};
    proact_u32 i = proact_local_cta() * proact_cta_size_x() + proact_thread_x();

    dawdle(&s, proact_local_cta());
    if (i >= count)
        return;
    if (i < count - shift)
        to[i] = 3 * load(&from[i + shift]) + 1;
    else
        to[i] = 3 * load(&from[i + shift - count]) + 1;
}

/* Indirect counts in the form that compilers emit. */
extern "C" __global__ void tally(const proact_u32 *from, proact_u32 *to, proact_u32 count,
                                 proact_u32 shift, proact_u32 slow, proact_u32 lost)
{
    const struct step s = {from, to, count, shift, slow, lost};
    proact_u32 i = proact_local_cta() * proact_cta_size_x() + proact_thread_x();

    dawdle(&s, proact_local_cta());
    if (i < count)
        asm volatile("{\n\t.reg .b64 %%to;\n\tcvta.to.global.u64 %%to, %0;\n\t"
                     "mad.wide.u32 %%to, %1, 4, %%to;\n\tred.global.add.u32 [%%to], 1;\n\t}"
                     ::"l"(to), "r"(load(&from[i]) % count)
                     : "memory");
}
