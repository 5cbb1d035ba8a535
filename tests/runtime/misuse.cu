/* SPDX-License-Identifier: Apache-2.0 */
/* Annotated kernels that need several maps, or none for some arrays. */
#include <proact/device.h>

extern "C" __global__ void pair(unsigned *low, unsigned *high, unsigned n,
                                struct proact_partition partition)
{
    unsigned i = proact_cta_x(&partition) * proact_cta_size_x() + proact_thread_x();

    if (i < n)
        proact_store(&partition, 0, &low[i], i + 1);
    if (i < n && high)
        proact_store(&partition, 1, &high[i], 2 * (i + 1));
    proact_done(&partition);
}

/* Stores to `extra` only if `is_full`, without a slot. */
extern "C" __global__ void option(unsigned *out, unsigned *extra, unsigned n,
                                  unsigned is_full, struct proact_partition partition)
{
    unsigned i = proact_cta_x(&partition) * proact_cta_size_x() + proact_thread_x();

    if (i < n)
        proact_store(&partition, 0, &out[i], i + 1);
    if (i < n && is_full)
        extra[i] = i;
    proact_done(&partition);
}
