/* SPDX-License-Identifier: Apache-2.0 */
/* Each CTA stages `bytes` bytes, `skew` bytes into its shared memory, in two rounds. It
   stores each round's bytes as one range: byte i of the array, from `offset` on, is 7 i +
   salt. */
#include <proact/device.h>

enum { LINE_BYTES = 2048 + 16 };

extern "C" __global__ void runs(unsigned char *out, proact_u32 bytes, proact_u32 offset,
                                proact_u32 skew, proact_u32 salt,
                                struct proact_partition partition)
{
    __shared__ __attribute__((aligned(16))) unsigned char line[LINE_BYTES];
    proact_u32 first = proact_cta(&partition) * 2 * bytes;

    for (int round = 0; round < 2; round++, first += bytes) {
        proact_cta_sync();
        for (proact_u32 i = proact_thread_index(); i < bytes; i += proact_thread_count())
            line[skew + i] = (unsigned char)(7 * (first + i) + salt);
        proact_store_bulk(&partition, 0, out + offset + first, line + skew, bytes);
    }
    proact_done(&partition);
}

/* A plain kernel, which runs on one device: bulk stores are not analysed. */
extern "C" __global__ void alone(proact_u32 *out)
{
    __shared__ __attribute__((aligned(16))) proact_u32 line[64];
    proact_u32 i = proact_local_cta() * 64 + proact_thread_x();

    line[proact_thread_x()] = 7 * i;
#if PROACT_HAS_BULK_COPY
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    proact_cta_sync();
    if (proact_thread_x() == 0) {
        proact_issue_bulk((unsigned char *)(out + i), (const unsigned char *)line, 256);
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        proact_bulk_wait();
    }
#else
    out[i] = line[proact_thread_x()];
#endif
}
