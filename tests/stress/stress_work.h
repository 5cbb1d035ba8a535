/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Work of one launch, shared by stress_kernels.cu and the reference. The shape selects the
   elements of a CTA; each becomes stress_value(). */

struct stress_work {
    unsigned long long from_bytes, count[2];         /* elements of the written arrays */
    unsigned long long offset;                       /* first element of the shape */
    unsigned long long run, run_count, stride, rows; /* elements; see the shapes */
    unsigned long long run2;                         /* of the second array */
    unsigned long long shift;
    unsigned turn; /* elements of a range are written in this stride, a unit modulo run */
    unsigned salt;
    unsigned skip;   /* element i is written if ((i + salt) & skip) is 0 */
    unsigned adds;   /* 1: the old value of the element is an input */
    unsigned dawdle; /* maximum sleep of a CTA, in ns */
};

#ifdef __CUDACC__
#define STRESS_BOTH static __device__ inline
#elif defined(__CUDA__)
#define STRESS_BOTH static __attribute__((device)) inline
#else
#define STRESS_BOTH static inline
#endif

/* Value of element i; `read` is the byte at stress_place(). */
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
