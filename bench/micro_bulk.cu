/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel of micro.cu that stages its 4 KB in shared memory and sends them as a run: for
   sm_90 and later, in bulk. */

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
