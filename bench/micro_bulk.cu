/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel of micro.cu with a staging buffer of 4 KB, sent in bulk on sm_90 and later. */

#include <proact/device.h>

#include "micro.h"

extern "C" __global__ void micro_bulk(struct micro_vector *out, proact_u32 multiply_adds,
                                      proact_u32 sleep_ns, proact_u32 salt,
                                      struct proact_partition partition)
{
    __shared__ struct micro_vector line[MICRO_THREADS];
    proact_u32 first = proact_cta(&partition) * MICRO_THREADS;

    line[proact_thread_x()] = micro_make(first + proact_thread_x(), multiply_adds, salt);
    if (sleep_ns)
        asm volatile("nanosleep.u32 %0;" ::"r"(sleep_ns) : "memory");
    proact_store_bulk(&partition, 0, &out[first], line, MICRO_CTA_BYTES);
    proact_done(&partition);
}
