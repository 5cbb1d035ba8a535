/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Shared parts of the programs of this folder, in addition to those of tests/programs, and
   a check of the libraries' status. */

#include "../programs/programs.h"

#define WELL(call)                                                                         \
    do {                                                                                   \
        int status_ = (int)(call);                                                         \
        if (status_ != 0) {                                                                \
            fprintf(stderr, "%s:%d: %s: %d\n", __FILE__, __LINE__, #call, status_);        \
            exit(2);                                                                       \
        }                                                                                  \
    } while (0)

/* Small integers, so that sums are exact in any order. */
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

/* Prints the sum of an array, rounded, because libraries may reassociate sums. */
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
