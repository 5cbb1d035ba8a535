/* SPDX-License-Identifier: Apache-2.0 */

/* What the link bench lets SMs do. Of CUDA it includes nothing. */

#include <proact/device.h>

enum { LINK_TARGETS = 3, LINK_UNROLL = 4 };

struct link_copy {
    const unsigned char *from;
    unsigned char *to[LINK_TARGETS];
    proact_u64 vectors; /* of 16 bytes; a multiple of LINK_UNROLL times all threads */
    proact_u32 targets;
};

struct link_vector {
    proact_u32 word[4];
};

PROACT_WORD struct link_vector link_load(const unsigned char *from)
{
    struct link_vector v;

    asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.word[0]), "=r"(v.word[1]), "=r"(v.word[2]), "=r"(v.word[3])
                 : "l"(from));
    return v;
}

PROACT_WORD void link_store(unsigned char *to, struct link_vector v)
{
    asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(to), "r"(v.word[0]),
                 "r"(v.word[1]), "r"(v.word[2]), "r"(v.word[3])
                 : "memory");
}

PROACT_WORD proact_u32 link_grid(void)
{
    proact_u32 v;

    asm("mov.u32 %0, %%nctaid.x;" : "=r"(v));
    return v;
}

/* Four loads are under way before the first store, 16 bytes a lane. */
extern "C" __global__ void link_copy(struct link_copy c)
{
    proact_u64 threads = (proact_u64)proact_cta_size_x() * link_grid();
    proact_u64 i = (proact_u64)proact_cta_here() * proact_cta_size_x() + proact_thread_x();

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

/* Stores of 4 bytes a lane in runs of 1 << run_shift bytes, a gap of as much or of one
   packet behind each, so that no two runs are neighbours. */
struct link_runs {
    unsigned char *to;
    proact_u64 words;
    proact_u32 run_shift, stride;
};

extern "C" __global__ void link_runs(struct link_runs r)
{
    proact_u64 threads = (proact_u64)proact_cta_size_x() * link_grid();
    proact_u64 i = (proact_u64)proact_cta_here() * proact_cta_size_x() + proact_thread_x();
    proact_u64 inside = (1ull << r.run_shift) - 1;

#pragma unroll 4
    for (; i < r.words; i += threads)
        *(proact_u32 *)(r.to + (4 * i >> r.run_shift) * r.stride + (4 * i & inside)) =
            (proact_u32)i;
}

/* Two devices hand a number to and fro: each waits for its word and writes the other's. */
struct link_ping {
    proact_u32 *here, *there;
    proact_u32 rounds, begins;
};

PROACT_WORD proact_u32 link_look(const proact_u32 *where)
{
    proact_u32 v;

    asm volatile("ld.volatile.global.u32 %0, [%1];" : "=r"(v) : "l"(where) : "memory");
    return v;
}

extern "C" __global__ void link_ping(struct link_ping p)
{
#pragma unroll 1
    for (proact_u32 n = 1; n <= p.rounds; n++) {
        if (p.begins)
            asm volatile("st.volatile.global.u32 [%0], %1;" ::"l"(p.there), "r"(n)
                         : "memory");
#pragma unroll 1
        while (link_look(p.here) < n)
            ;
        if (!p.begins)
            asm volatile("st.volatile.global.u32 [%0], %1;" ::"l"(p.there), "r"(n)
                         : "memory");
    }
}
