/* SPDX-License-Identifier: Apache-2.0 */
/* Failed calls end the program. The clock of the host. */
#pragma once

#include <cstdio>
#include <cstdlib>
#include <ctime>

#define MUST(call)                                                                         \
    do {                                                                                   \
        auto result_ = (call);                                                             \
        if (result_ != 0) {                                                                \
            std::fprintf(stderr, "%s:%d: %s gives %d\n", __FILE__, __LINE__, #call,        \
                         (int)result_);                                                    \
            std::exit(1);                                                                  \
        }                                                                                  \
    } while (0)

inline double peer_now_ns()
{
    timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e9 + t.tv_nsec;
}
