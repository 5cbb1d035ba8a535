/* SPDX-License-Identifier: Apache-2.0 */
/* The producer with proact. Work is a count of multiply-adds, a sleep, or both. A sleep
   costs the host no emulation time. */

#include <proact/device.h>

#include "micro.h"

template <bool sleeps>
PROACT_DEVICE_INLINE void micro_run(struct micro_vector *out, proact_u32 multiply_adds,
                                    proact_u32 sleep_ns, proact_u32 salt,
                                    const struct proact_partition *partition)
{
    proact_u32 i = proact_cta(partition) * proact_cta_size_x() + proact_thread_x();
    const struct micro_vector made = micro_make(i, multiply_adds, salt);

    if (sleeps && sleep_ns)
        asm volatile("nanosleep.u32 %0;" ::"r"(sleep_ns) : "memory");
    proact_store(partition, 0, &out[i], made);
    proact_done(partition);
}

extern "C" __global__ void micro(struct micro_vector *out, proact_u32 multiply_adds,
                                 proact_u32 sleep_ns, proact_u32 salt,
                                 struct proact_partition partition)
{
    micro_run<true>(out, multiply_adds, sleep_ns, salt, &partition);
}

/* The same without the sleep, which devices before sm_70 do not have. */
extern "C" __global__ void micro_awake(struct micro_vector *out, proact_u32 multiply_adds,
                                       proact_u32 sleep_ns, proact_u32 salt,
                                       struct proact_partition partition)
{
    micro_run<false>(out, multiply_adds, sleep_ns, salt, &partition);
}

/* A CTA makes one vector of every 4 KB of its 64 KB, which marks them as sent again. Its
   map covers all 64 KB, so chunk mechanisms send all of them. */
template <bool sleeps>
PROACT_DEVICE_INLINE void micro_marks_run(struct micro_vector *out,
                                          proact_u32 multiply_adds, proact_u32 sleep_ns,
                                          proact_u32 salt,
                                          const struct proact_partition *partition)
{
    proact_u32 i = proact_cta(partition) * (MICRO_ANNOTATED_BYTES / MICRO_VECTOR_BYTES) +
                   proact_thread_x() * MICRO_MARK_VECTORS;

    if (proact_thread_x() <
        MICRO_ANNOTATED_BYTES / (MICRO_MARK_VECTORS * MICRO_VECTOR_BYTES))
        proact_store(partition, 0, &out[i], micro_make(i, multiply_adds, salt));
    if (sleeps && sleep_ns)
        asm volatile("nanosleep.u32 %0;" ::"r"(sleep_ns) : "memory");
    proact_done(partition);
}

extern "C" __global__ void micro_marks(struct micro_vector *out, proact_u32 multiply_adds,
                                       proact_u32 sleep_ns, proact_u32 salt,
                                       struct proact_partition partition)
{
    micro_marks_run<true>(out, multiply_adds, sleep_ns, salt, &partition);
}

extern "C" __global__ void micro_marks_awake(struct micro_vector *out,
                                             proact_u32 multiply_adds, proact_u32 sleep_ns,
                                             proact_u32 salt,
                                             struct proact_partition partition)
{
    micro_marks_run<false>(out, multiply_adds, sleep_ns, salt, &partition);
}

/* Narrow stores. A thread stores `words` words at a time. A run of threads stores run_bytes
   consecutive bytes at once, and the next run stores elsewhere: after all stores the CTA
   has made all of its 16 KB. */
template <unsigned words>
PROACT_DEVICE_INLINE void micro_runs_store(proact_u32 *out, proact_u32 run_bytes,
                                           proact_u32 salt, float v,
                                           const struct proact_partition *partition)
{
    struct __attribute__((aligned(words * 4))) part {
        proact_u32 word[words];
    };
    const proact_u32 bytes = words * sizeof(proact_u32);
    const proact_u32 times = MICRO_RUNS_BYTES / (MICRO_THREADS * bytes);
    const proact_u32 threads = run_bytes / bytes, words_of_run = threads * words;
    const proact_u32 run = proact_thread_x() / threads, in = proact_thread_x() % threads;
    const proact_u32 first =
        proact_cta(partition) * (MICRO_RUNS_BYTES / 4) + run * times * words_of_run;

    for (proact_u32 n = 0; n < times; n++) {
        const proact_u32 at = first + n * words_of_run + in * words;
        const struct micro_vector made = micro_vector_of(at / 4, salt, v);
        struct part part;

#pragma unroll
        for (unsigned w = 0; w < words; w++) {
            const proact_u32 of = (at + w) % 4;

            part.word[w] = of == 0   ? made.word[0]
                           : of == 1 ? made.word[1]
                           : of == 2 ? made.word[2]
                                     : made.word[3];
        }
        proact_store(partition, 0, (struct part *)&out[at], part);
    }
}

template <unsigned words>
PROACT_DEVICE_INLINE void micro_runs_run(struct micro_vector *out, proact_u32 multiply_adds,
                                         proact_u32 sleep_ns, proact_u32 salt,
                                         proact_u32 run_bytes,
                                         const struct proact_partition *partition)
{
    const float v = micro_work(proact_thread_x(), multiply_adds);

    if (sleep_ns)
        asm volatile("nanosleep.u32 %0;" ::"r"(sleep_ns) : "memory");
    micro_runs_store<words>((proact_u32 *)out, run_bytes, salt, v, partition);
    proact_done(partition);
}

extern "C" __global__ void micro_runs_4(struct micro_vector *out, proact_u32 multiply_adds,
                                        proact_u32 sleep_ns, proact_u32 salt,
                                        proact_u32 run_bytes,
                                        struct proact_partition partition)
{
    micro_runs_run<1>(out, multiply_adds, sleep_ns, salt, run_bytes, &partition);
}

extern "C" __global__ void micro_runs_8(struct micro_vector *out, proact_u32 multiply_adds,
                                        proact_u32 sleep_ns, proact_u32 salt,
                                        proact_u32 run_bytes,
                                        struct proact_partition partition)
{
    micro_runs_run<2>(out, multiply_adds, sleep_ns, salt, run_bytes, &partition);
}

extern "C" __global__ void micro_runs_16(struct micro_vector *out, proact_u32 multiply_adds,
                                         proact_u32 sleep_ns, proact_u32 salt,
                                         proact_u32 run_bytes,
                                         struct proact_partition partition)
{
    micro_runs_run<4>(out, multiply_adds, sleep_ns, salt, run_bytes, &partition);
}

/* The first kernel on one device, without counting. */
extern "C" __global__ void micro_plain(struct micro_vector *out, proact_u32 multiply_adds,
                                       proact_u32 salt)
{
    proact_u32 i = proact_local_cta() * proact_cta_size_x() + proact_thread_x();

    out[i] = micro_make(i, multiply_adds, salt);
}

/* An iteration with almost no computation: each CTA needs the output of its neighbour. With
   one CTA per device, that is the output of another device. */
extern "C" __global__ void micro_step(const proact_u32 *from, proact_u32 *to,
                                      proact_u32 count, struct proact_partition partition)
{
    proact_u32 i = proact_cta(&partition) * proact_cta_size_x() + proact_thread_x();

    proact_store(&partition, 0, &to[i], from[(i + proact_cta_size_x()) % count] + 1);
    proact_done(&partition);
}
