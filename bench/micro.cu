/* SPDX-License-Identifier: Apache-2.0 */

/* The producer of PROACT V-A: each CTA of 256 threads works for a while, then makes 4 KB of
   the array, 16 bytes a thread. Work is a count of multiply-adds, a sleep, or both: a sleep
   takes as long on the virtual clock and costs the host nothing. */

#include <proact/device.h>

struct __attribute__((aligned(16))) micro_vector {
    float x, y, z, w;
};

extern "C" __global__ void micro(struct micro_vector *out, proact_u32 multiply_adds,
                                 proact_u32 sleep_ns, struct proact_share share)
{
    proact_u32 i = proact_cta_x(&share) * proact_cta_size_x() + proact_thread_x();
    float v = (float)i;

#pragma unroll 1
    for (proact_u32 n = 0; n < multiply_adds; n++)
        v = v * 0.999f + 1.0f;
    if (sleep_ns)
        asm volatile("nanosleep.u32 %0;" ::"r"(sleep_ns) : "memory");

    const struct micro_vector made = {v, v + 1, v + 2, v + 3};

    proact_store(&share, 0, &out[i], made);
    proact_done(&share);
}
