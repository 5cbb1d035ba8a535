/* SPDX-License-Identifier: Apache-2.0 */

/* Combination of the partial results of one device with the replica on device 0, element by
   element. Other devices combine at the same time, and the user's kernel may still run on
   device 0. The kernel therefore uses atomics of system scope. An element with the neutral
   value was not updated and is skipped. */

#include "combine.h"

#define COMBINE_BY(spelling, in)                                                           \
    asm volatile("red.relaxed.sys." spelling " [%0], %1;" ::"l"(to), in(v) : "memory")

/* Combination of one element of `bits` bits; `in` is the constraint of its assembly. */
#define COMBINE_ONE(type, bits, in)                                                        \
    PROACT_DEVICE_INLINE void combine_one(type *to, type v, proact_u32 how)                \
    {                                                                                      \
        switch (how) {                                                                     \
        case COMBINE_ADD:                                                                  \
            COMBINE_BY("add.u" bits, in);                                                  \
            break;                                                                         \
        case COMBINE_ADD_FLOAT:                                                            \
            COMBINE_BY("add.f" bits, in);                                                  \
            break;                                                                         \
        case COMBINE_MIN:                                                                  \
            COMBINE_BY("min.u" bits, in);                                                  \
            break;                                                                         \
        case COMBINE_MIN_SIGNED:                                                           \
            COMBINE_BY("min.s" bits, in);                                                  \
            break;                                                                         \
        case COMBINE_MAX:                                                                  \
            COMBINE_BY("max.u" bits, in);                                                  \
            break;                                                                         \
        case COMBINE_MAX_SIGNED:                                                           \
            COMBINE_BY("max.s" bits, in);                                                  \
            break;                                                                         \
        case COMBINE_AND:                                                                  \
            COMBINE_BY("and.b" bits, in);                                                  \
            break;                                                                         \
        case COMBINE_OR:                                                                   \
            COMBINE_BY("or.b" bits, in);                                                   \
            break;                                                                         \
        default:                                                                           \
            COMBINE_BY("xor.b" bits, in);                                                  \
        }                                                                                  \
    }
COMBINE_ONE(proact_u32, "32", "r")
COMBINE_ONE(proact_u64, "64", "l")

/* Number of CTAs of the kernel. */
PROACT_DEVICE_INLINE proact_u32 combine_ctas(void)
{
    proact_u32 v;

    asm("mov.u32 %0, %%nctaid.x;" : "=r"(v));
    return v;
}

/* Combines all elements, and resets the partial results to the neutral value. */
template <class T> PROACT_DEVICE_INLINE void combine_all(const struct combine_work *work)
{
    T *to = (T *)work->to, *from = (T *)work->from;
    const T neutral = (T)work->neutral;
    const proact_u64 threads = (proact_u64)combine_ctas() * proact_cta_size_x();

    for (proact_u64 i =
             (proact_u64)proact_local_cta() * proact_cta_size_x() + proact_thread_x();
         i < work->count; i += threads) {
        const T v = from[i];

        if (v == neutral)
            continue;
        from[i] = neutral;
        combine_one(&to[i], v, work->how);
    }
}

/* Entry of the kernel. */
extern "C" __global__ void proact_combine(struct combine_work work)
{
    if (work.is_wide)
        combine_all<proact_u64>(&work);
    else
        combine_all<proact_u32>(&work);
}
