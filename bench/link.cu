/* SPDX-License-Identifier: Apache-2.0 */

/* Kernels of the link bench. They include no CUDA header. */

#include <proact/device.h>

#include "link.h"

struct link_vector {
    proact_u32 word[4];
};

PROACT_DEVICE_INLINE struct link_vector link_load(link_u64 from)
{
    struct link_vector v;

    asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.word[0]), "=r"(v.word[1]), "=r"(v.word[2]), "=r"(v.word[3])
                 : "l"(from));
    return v;
}

PROACT_DEVICE_INLINE void link_store(link_u64 to, struct link_vector v)
{
    asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(to), "r"(v.word[0]),
                 "r"(v.word[1]), "r"(v.word[2]), "r"(v.word[3])
                 : "memory");
}

PROACT_DEVICE_INLINE proact_u32 link_grid(void)
{
    proact_u32 v;

    asm("mov.u32 %0, %%nctaid.x;" : "=r"(v));
    return v;
}

/* Four loads of 16 bytes per lane are in flight before the first store. */
extern "C" __global__ void link_copy(struct link_copy c)
{
    proact_u64 threads = (proact_u64)proact_cta_size_x() * link_grid();
    proact_u64 i = (proact_u64)proact_local_cta() * proact_cta_size_x() + proact_thread_x();

#pragma unroll 1
    for (; i < c.vectors; i += LINK_UNROLL * threads) {
        struct link_vector v[LINK_UNROLL];

#pragma unroll
        for (int k = 0; k < LINK_UNROLL; k++)
            v[k] = link_load(c.from + 16 * (i + k * threads));
#pragma unroll
        for (int t = 0; t < LINK_TARGETS; t++)
            if (t < c.targets)
#pragma unroll
                for (int k = 0; k < LINK_UNROLL; k++)
                    link_store(c.to[t] + 16 * (i + k * threads), v[k]);
    }
}

extern "C" __global__ void link_runs(struct link_runs r)
{
    proact_u64 threads = (proact_u64)proact_cta_size_x() * link_grid();
    proact_u64 i = (proact_u64)proact_local_cta() * proact_cta_size_x() + proact_thread_x();
    proact_u64 inside = (1ull << r.run_shift) - 1;

#pragma unroll 4
    for (; i < r.words; i += threads)
        *(proact_u32 *)(r.to + (4 * i >> r.run_shift) * r.stride + (4 * i & inside)) =
            (proact_u32)i;
}

PROACT_DEVICE_INLINE proact_u32 link_look(link_u64 where)
{
    proact_u32 v;

    asm volatile("ld.volatile.global.u32 %0, [%1];" : "=r"(v) : "l"(where) : "memory");
    return v;
}

PROACT_DEVICE_INLINE void link_notify(link_u64 where, proact_u32 value)
{
    asm volatile("st.volatile.global.u32 [%0], %1;" ::"l"(where), "r"(value) : "memory");
}

extern "C" __global__ void link_ping(struct link_ping p)
{
#pragma unroll 1
    for (proact_u32 n = 1; n <= p.rounds; n++) {
        if (p.begins)
            link_notify(p.there, n);
#pragma unroll 1
        while (link_look(p.here) < n)
            ;
        if (!p.begins)
            link_notify(p.there, n);
    }
}

/* One lane per peer: all lanes write a flag, then all wait. */
extern "C" __global__ void link_step(struct link_step s)
{
    proact_u32 lane = proact_thread_x();
    link_u64 there = 0;

#pragma unroll
    for (int i = 0; i < LINK_TARGETS; i++)
        if (i == lane)
            there = s.there[i];
#pragma unroll 1
    for (proact_u32 n = 1; n <= s.rounds; n++) {
        asm volatile("bar.sync 0;" ::: "memory");
        if (lane < s.peers) {
            asm volatile("fence.acq_rel.sys;" ::: "memory");
            link_notify(there, n);
#pragma unroll 1
            while (link_look(s.here + 4 * lane) < n)
                ;
            asm volatile("fence.acq_rel.sys;" ::: "memory");
        }
    }
}

extern "C" __global__ void link_empty(void)
{
}

extern "C" __global__ void link_check(struct link_check c)
{
    proact_u64 threads = (proact_u64)proact_cta_size_x() * link_grid();
    proact_u64 i = (proact_u64)proact_local_cta() * proact_cta_size_x() + proact_thread_x();
    proact_u32 wrong = 0;

#pragma unroll 1
    for (i *= c.step; i < c.vectors; i += threads * c.step) {
        struct link_vector v = link_load(c.at + 16 * i);

#pragma unroll
        for (int k = 0; k < 4; k++)
            if (v.word[k] != link_pattern((link_u32)(4 * i + k))) {
                wrong++;
                break;
            }
    }
    if (wrong)
        asm volatile("red.global.add.u32 [%0], %1;" ::"l"(c.wrong), "r"(wrong) : "memory");
}
