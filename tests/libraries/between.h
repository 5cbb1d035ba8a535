/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the programs of this folder have in common with those of tests/programs, and a check
   for what libraries answer. */

#include "../programs/programs.h"

#define WELL(call)                                                                         \
    do {                                                                                   \
        int status_ = (int)(call);                                                         \
        if (status_ != 0) {                                                                \
            fprintf(stderr, "%s:%d: %s: %d\n", __FILE__, __LINE__, #call, status_);        \
            exit(2);                                                                       \
        }                                                                                  \
    } while (0)

/* Small whole numbers, so that sums are exact in whatever order. */
template <class T> __global__ void fill_small(T *x, int count, unsigned seed)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < count)
        x[i] = (T)((int)((i * 2654435761u + seed * 40503u) >> 16 & 7) - 3);
}

template <class T> static T *on_device(size_t count)
{
    T *x;

    CHECK(cudaMalloc(&x, count * sizeof *x));
    CHECK(cudaMemset(x, 0, count * sizeof *x));
    return x;
}

template <class T> static T *on_host(const T *x, size_t count)
{
    T *host = (T *)malloc(count * sizeof *host);

    CHECK(cudaMemcpy(host, x, count * sizeof *host, cudaMemcpyDeviceToHost));
    return host;
}

/* Says what an array holds: rounded, as libraries may order their sums anew. */
template <class T> static void print_sum(const char *what, const T *x, size_t count)
{
    T *host = on_host(x, count);
    double sum = 0, weighted = 0;

    for (size_t i = 0; i < count; i++) {
        sum += (double)host[i];
        weighted += (double)(i % 97 + 1) * (double)host[i];
    }
    printf("%s: %.10g %.10g\n", what, sum, weighted);
    free(host);
}
