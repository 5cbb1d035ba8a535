/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What a launch of stress_kernels.cu does, as the kernels and the reference see it. Which
   elements a CTA writes is the shape's; each becomes stress_value(). */

struct stress_work {
    unsigned long long from_bytes, count[2]; /* elements of the arrays that are written */
    unsigned long long offset;               /* element that the shape begins at */
    unsigned long long run, run_count, stride, rows; /* elements; see the shapes */
    unsigned long long run2;                         /* of the second array */
    unsigned long long shift;
    unsigned turn; /* elements of a run are written in steps of this, a unit modulo run */
    unsigned salt;
    unsigned skip;   /* elements i are written where ((i + salt) & skip) is 0 */
    unsigned adds;   /* 1: the element's old value counts, too */
    unsigned dawdle; /* CTAs sleep up to so many ns */
};

#ifdef __CUDACC__
#define STRESS_BOTH static __device__ inline
#elif defined(__CUDA__)
#define STRESS_BOTH static __attribute__((device)) inline
#else
#define STRESS_BOTH static inline
#endif

/* Of element i; `read` is the byte at stress_place(). */
STRESS_BOTH unsigned stress_value(const struct stress_work *w, unsigned long long i,
                                  unsigned read, unsigned old)
{
    unsigned v = (read + 1) * 2654435761u + (unsigned)i * 40503u + w->salt;

    v ^= v >> 15;
    return v * 739982445u + (w->adds ? old : 0);
}

STRESS_BOTH unsigned long long stress_place(const struct stress_work *w,
                                            unsigned long long i)
{
    return (i + w->shift) % w->from_bytes;
}

STRESS_BOTH int stress_writes(const struct stress_work *w, unsigned slot,
                              unsigned long long i)
{
    return i < w->count[slot] && (((unsigned)i + w->salt) & w->skip) == 0;
}
