/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Checks for the small programs in this folder, which are compiled like any user's program:
   a call must succeed, and a failed condition reports its line. */
#include <cstdio>
#include <cstdlib>

#define MUST(call)                                                                         \
    do {                                                                                   \
        cudaError_t error_ = (call);                                                       \
        if (error_ != cudaSuccess) {                                                       \
            printf("line %d: %s: %s\n", __LINE__, #call, cudaGetErrorString(error_));      \
            exit(1);                                                                       \
        }                                                                                  \
    } while (0)

#define HOLDS(what)                                                                        \
    do {                                                                                   \
        if (!(what)) {                                                                     \
            printf("line %d: not so: %s\n", __LINE__, #what);                              \
            exit(1);                                                                       \
        }                                                                                  \
    } while (0)
