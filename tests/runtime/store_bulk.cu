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

/* A CTA of 32 threads writes 128 words: elements of three words, each of which may lie in
   two lines, then a bulk store of the last 32. Word i becomes 7 i + salt. */
struct three {
    proact_u32 word[3];
};

extern "C" __global__ void wide(proact_u32 *out, proact_u32 salt,
                                struct proact_partition partition)
{
    __shared__ __attribute__((aligned(16))) proact_u32 line[32];
    const proact_u32 t = proact_thread_x(), first = proact_cta(&partition) * 128,
                     at = first + 3 * t;
    const struct three v = {{7 * at + salt, 7 * (at + 1) + salt, 7 * (at + 2) + salt}};

    proact_store(&partition, 0, (struct three *)&out[at], v);
    line[t] = 7 * (first + 96 + t) + salt;
    proact_store_bulk(&partition, 0, out + first + 96, line, sizeof line);
    proact_done(&partition);
}

/* The same by elements that are aligned to their size and larger than a line: two of 32
   words, then four of 16. */
template <proact_u32 WORDS> struct __attribute__((aligned(4 * WORDS))) element {
    proact_u32 word[WORDS];
};

template <proact_u32 WORDS>
static __device__ void put(const struct proact_partition *partition, proact_u32 *out,
                           proact_u32 at, proact_u32 salt)
{
    struct element<WORDS> v;

    for (proact_u32 i = 0; i < WORDS; i++)
        v.word[i] = 7 * (at + i) + salt;
    proact_store(partition, 0, (struct element<WORDS> *)&out[at], v);
}

extern "C" __global__ void aligned(proact_u32 *out, proact_u32 salt,
                                   struct proact_partition partition)
{
    const proact_u32 t = proact_thread_x(), first = proact_cta(&partition) * 128;

    if (t < 2)
        put<32>(&partition, out, first + 32 * t, salt);
    else if (t < 6)
        put<16>(&partition, out, first + 32 + 16 * t, salt);
    proact_done(&partition);
}

/* Plain. A word for each thread, from `back` words before. */
extern "C" __global__ void shifted(const proact_u32 *in, proact_u32 *out, proact_u32 back)
{
    const proact_u32 i = proact_local_cta() * 128 + proact_thread_x();

    if (i >= back)
        out[i] = in[i - back];
}
