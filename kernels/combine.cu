/* SPDX-License-Identifier: Apache-2.0 */

/* Partial results of one device are combined with the first one's replica, element by
   element, by atomics of all devices: others do so at the same time, and that one's own
   kernel may still be at work there. What nobody touched is the neutral element, and stays
   here. */

#include "combine.h"

#define COMBINE_BY(spelling, bits)                                                         \
    asm volatile("red.relaxed.sys." spelling " [%0], %1;" ::"l"(to), bits(v) : "memory")

PROACT_WORD void combine_one(proact_u32 *to, proact_u32 v, proact_u32 how)
{
    switch (how) {
    case COMBINE_ADD:
        COMBINE_BY("add.u32", "r");
        break;
    case COMBINE_MIN:
        COMBINE_BY("min.u32", "r");
        break;
    case COMBINE_MIN_SIGNED:
        COMBINE_BY("min.s32", "r");
        break;
    case COMBINE_MAX:
        COMBINE_BY("max.u32", "r");
        break;
    case COMBINE_MAX_SIGNED:
        COMBINE_BY("max.s32", "r");
        break;
    case COMBINE_AND:
        COMBINE_BY("and.b32", "r");
        break;
    case COMBINE_OR:
        COMBINE_BY("or.b32", "r");
        break;
    default:
        COMBINE_BY("xor.b32", "r");
    }
}

PROACT_WORD void combine_one(proact_u64 *to, proact_u64 v, proact_u32 how)
{
    switch (how) {
    case COMBINE_ADD:
        COMBINE_BY("add.u64", "l");
        break;
    case COMBINE_MIN:
        COMBINE_BY("min.u64", "l");
        break;
    case COMBINE_MIN_SIGNED:
        COMBINE_BY("min.s64", "l");
        break;
    case COMBINE_MAX:
        COMBINE_BY("max.u64", "l");
        break;
    case COMBINE_MAX_SIGNED:
        COMBINE_BY("max.s64", "l");
        break;
    case COMBINE_AND:
        COMBINE_BY("and.b64", "l");
        break;
    case COMBINE_OR:
        COMBINE_BY("or.b64", "l");
        break;
    default:
        COMBINE_BY("xor.b64", "l");
    }
}

PROACT_WORD proact_u32 combine_ctas(void)
{
    proact_u32 v;

    asm("mov.u32 %0, %%nctaid.x;" : "=r"(v));
    return v;
}

template <class T> PROACT_WORD void combine_all(const struct combine_work *work)
{
    T *to = (T *)work->to, *from = (T *)work->from;
    const T neutral = (T)work->neutral;
    const proact_u64 threads = (proact_u64)combine_ctas() * proact_cta_size_x();

    for (proact_u64 i = (proact_u64)proact_cta_here() * proact_cta_size_x() +
                        proact_thread_x();
         i < work->count; i += threads) {
        const T v = from[i];

        if (v == neutral)
            continue;
        from[i] = neutral;
        combine_one(&to[i], v, work->how);
    }
}

extern "C" __global__ void proact_combine(struct combine_work work)
{
    if (work.is_wide)
        combine_all<proact_u64>(&work);
    else
        combine_all<proact_u32>(&work);
}
