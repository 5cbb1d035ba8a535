/* SPDX-License-Identifier: Apache-2.0 */
/* CUDA calls of the programs in this folder: a failed one ends the program. */
#pragma once

#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                        \
    do {                                                                                   \
        cudaError_t error_ = (call);                                                       \
        if (error_ != cudaSuccess) {                                                       \
            std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call,             \
                         cudaGetErrorString(error_));                                      \
            std::exit(1);                                                                  \
        }                                                                                  \
    } while (0)
