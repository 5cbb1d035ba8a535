/* SPDX-License-Identifier: Apache-2.0 */
/* Writers of many shapes. All have the same parameters; unused ones are 0. */
#include <proact/device.h>

#include "stress_work.h"

typedef unsigned char byte;
typedef proact_u64 wide;

struct range {
    wide first_byte, bytes;
};

PROACT_DEVICE_INLINE void dawdle(const struct stress_work *w, proact_u32 cta)
{
    proact_u32 ns = w->dawdle ? (cta * 2654435761u + w->salt) % w->dawdle : 0;

    if (ns)
        asm volatile("nanosleep.u32 %0;" ::"r"(ns) : "memory");
}

template <class T>
PROACT_DEVICE_INLINE void put(const struct proact_partition *partition, proact_u32 slot,
                              const byte *from, T *to, const struct stress_work *w, wide i)
{
    if (stress_writes(w, slot, i))
        proact_store(partition, slot, &to[i],
                     stress_value(w, i, from[stress_place(w, i)], w->adds ? to[i] : 0));
}

/* `count` elements from `first` on, in an order with stride `turn`. */
template <class T>
PROACT_DEVICE_INLINE void put_run(const struct proact_partition *partition, proact_u32 slot,
                                  const byte *from, T *to, const struct stress_work *w,
                                  wide first, wide count)
{
#pragma unroll 1
    for (wide j = proact_thread_x(); j < count; j += proact_cta_size_x())
        put(partition, slot, from, to, w, first + j * w->turn % count);
}

#define PARAMETERS(T)                                                                      \
    const byte *from, T *to, T *to2, const proact_u32 *first, const struct range *range,   \
        struct stress_work w, struct proact_partition partition

/* CTA c writes elements offset + c run .. */
extern "C" __global__ void line(PARAMETERS(proact_u32))
{
    wide cta = proact_cta(&partition);

    dawdle(&w, proact_cta(&partition));
    put_run(&partition, 0, from, to, &w, w.offset + cta * w.run, w.run);
    proact_done(&partition);
}

extern "C" __global__ void line_bytes(PARAMETERS(byte))
{
    wide cta = proact_cta(&partition);

    put_run(&partition, 0, from, to, &w, w.offset + cta * w.run, w.run);
    dawdle(&w, proact_cta(&partition));
    proact_done(&partition);
}

/* Like line_bytes, from shared memory, with and without 16-byte alignment. Elements outside
   the shape keep their value. */
extern "C" __global__ void staged(PARAMETERS(byte))
{
    enum { LINE = 1024 };
    __shared__ __attribute__((aligned(16))) byte stage[LINE + 16];
    wide at = w.offset + proact_cta(&partition) * w.run, end = at + w.run;
    const wide line = LINE - (w.salt >> 1 & 63);

    if (end > w.count[0])
        end = w.count[0];
    dawdle(&w, proact_cta(&partition));
#pragma unroll 1
    for (; at < end; at += line) {
        proact_u32 skew = w.salt & 1 ? at & 15 : 0;
        proact_u32 bytes = (proact_u32)(end - at < line ? end - at : line);

        proact_cta_sync();
#pragma unroll 1
        for (proact_u32 j = proact_thread_x(); j < bytes; j += proact_cta_size_x()) {
            wide i = at + j;

            stage[skew + j] = stress_writes(&w, 0, i)
                                  ? (byte)stress_value(&w, i, from[stress_place(&w, i)],
                                                       w.adds ? to[i] : 0)
                                  : to[i];
        }
        proact_store_bulk(&partition, 0, to + at, stage + skew, bytes);
    }
    proact_done(&partition);
}

/* CTA c writes run_count ranges, `stride` apart, from offset + c run on. */
extern "C" __global__ void comb(PARAMETERS(proact_u32))
{
    wide cta = proact_cta(&partition);

    dawdle(&w, proact_cta(&partition));
#pragma unroll 1
    for (wide r = 0; r < w.run_count; r++)
        put_run(&partition, 0, from, to, &w, w.offset + cta * w.run + r * w.stride, w.run);
    proact_done(&partition);
}

/* CTA (x, y) writes rows y rows .. of `stride` elements, columns x run .. */
extern "C" __global__ void tile(PARAMETERS(proact_u32))
{
    wide x = proact_cta_x(&partition) * w.run, y = proact_cta_y(&partition) * w.rows;
    wide run = x >= w.stride ? 0 : w.stride - x < w.run ? w.stride - x : w.run;

    dawdle(&w, proact_cta(&partition));
#pragma unroll 1
    for (wide r = 0; r < w.rows; r++)
#pragma unroll 1
        for (wide j = proact_thread_x(); j < run; j += proact_cta_size_x())
            put(&partition, 0, from, to, &w, w.offset + (y + r) * w.stride + x + j);
    proact_done(&partition);
}

/* CTA c writes ranges first[c] .. first[c + 1] - 1. */
extern "C" __global__ void ranges(PARAMETERS(byte))
{
    proact_u32 cta = proact_cta(&partition);

    dawdle(&w, cta);
#pragma unroll 1
    for (proact_u32 r = first[cta]; r < first[cta + 1]; r++)
        put_run(&partition, 0, from, to, &w, w.offset + range[r].first_byte,
                range[r].bytes);
    proact_done(&partition);
}

/* One range in each of two arrays. */
extern "C" __global__ void pair(PARAMETERS(proact_u32))
{
    wide cta = proact_cta(&partition);

    put_run(&partition, 0, from, to, &w, w.offset + cta * w.run, w.run);
    dawdle(&w, proact_cta(&partition));
#pragma unroll 1
    for (wide j = proact_thread_x(); j < w.run2; j += proact_cta_size_x())
        put(&partition, 1, from, to2, &w, cta * w.run2 + j);
    proact_done(&partition);
}

/* A plain kernel, which runs on one device. */
extern "C" __global__ void whole(const byte *from, proact_u32 *to, proact_u32 *to2,
                                 const proact_u32 *first, const struct range *range,
                                 struct stress_work w)
{
    wide start = (wide)proact_local_cta() * w.run;

    dawdle(&w, proact_local_cta());
#pragma unroll 1
    for (wide j = proact_thread_x(); j < w.run; j += proact_cta_size_x()) {
        wide i = start + j;

        if (stress_writes(&w, 0, i))
            to[i] = stress_value(&w, i, from[stress_place(&w, i)], w.adds ? to[i] : 0);
    }
}

/* A plain kernel with one byte per thread: read set and write set are known. */
extern "C" __global__ void near(const byte *from, byte *to, byte *to2,
                                const proact_u32 *first, const struct range *range,
                                struct stress_work w)
{
    proact_u32 i = proact_local_cta() * proact_cta_size_x() + proact_thread_x();
    proact_u32 at = (i + (proact_u32)w.shift) % (proact_u32)w.from_bytes;

    dawdle(&w, proact_local_cta());
    if (stress_writes(&w, 0, i))
        to[i] = (byte)stress_value(&w, i, from[at], w.adds ? to[i] : 0);
}
