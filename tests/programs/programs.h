/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Shared parts of the programs of this folder. */

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(call)                                                                        \
    do {                                                                                   \
        cudaError_t error_ = (call);                                                       \
        if (error_ != cudaSuccess) {                                                       \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,                             \
                    cudaGetErrorString(error_));                                           \
            exit(2);                                                                       \
        }                                                                                  \
    } while (0)

static inline int blocks_for(int items, int threads)
{
    return (items + threads - 1) / threads;
}

static inline unsigned next_random(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* FNV-1a. */
static inline unsigned checksum(const void *data, size_t bytes)
{
    unsigned hash = 2166136261u;

    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ ((const unsigned char *)data)[i]) * 16777619u;
    return hash;
}

static inline int verdict(const char *name, bool right)
{
    printf("%s: %s\n", name, right ? "PASSED" : "FAILED");
    return right ? 0 : 1;
}
