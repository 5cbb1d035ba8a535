/* SPDX-License-Identifier: Apache-2.0 */
/* Common parts of the programs in this folder: arguments, producer, timing, and the row
   that `proact bench micro --peers` reads. */
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "../micro.h"
#include "must.cuh"

struct peer_work {
    int devices;
    uint64_t bytes;
    unsigned multiply_adds;
    bool all_to_all;
    unsigned launches; /* back to back, before the host waits */

    int producers() const
    {
        return all_to_all ? devices : 1;
    }
    uint64_t partition() const
    {
        return bytes / producers();
    } /* written by one device */
};

inline peer_work peer_arguments(int argc, char **argv)
{
    if (argc != 6) {
        std::fprintf(
            stderr,
            "usage: %s DEVICES BYTES MULTIPLY_ADDS one-to-all|all-to-all LAUNCHES\n",
            argv[0]);
        std::exit(2);
    }
    return {std::atoi(argv[1]), std::strtoull(argv[2], nullptr, 10),
            (unsigned)std::strtoul(argv[3], nullptr, 10),
            !std::strcmp(argv[4], "all-to-all"),
            (unsigned)std::strtoul(argv[5], nullptr, 10)};
}

/* CTAs from `first` on, of the complete array. */
__global__ void peer_make(micro_vector *out, unsigned multiply_adds, unsigned first,
                          unsigned salt)
{
    unsigned i = (first + blockIdx.x) * blockDim.x + threadIdx.x;

    out[i] = micro_make(i, multiply_adds, salt);
}

enum { PEER_WARM = 2, PEER_RUNS = 9 };

inline void peer_print(const char *method, uint64_t chunk, std::vector<double> ns)
{
    std::sort(ns.begin(), ns.end());
    std::printf("row %s %llu %.0f %.0f %.0f %zu\n", method, (unsigned long long)chunk,
                ns[ns.size() / 2], ns.front(), ns.back(), ns.size());
    std::fflush(stdout);
}

/* Checks a sample of a replica against this launch. */
inline void peer_check(const micro_vector *replica, const peer_work &w, unsigned salt)
{
    enum { PIECE = 256, LOOKS = 64 };
    const uint64_t count = w.bytes / sizeof(micro_vector);
    micro_vector piece[PIECE];

    for (uint64_t look = 0; look < LOOKS; look++) {
        uint64_t first = (count - PIECE) * look / (LOOKS - 1);

        MUST(cudaMemcpy(piece, replica + first, sizeof piece, cudaMemcpyDeviceToHost));
        for (unsigned i = 0; i < PIECE; i++)
            if (piece[i].word[0] != (unsigned)(first + i) || piece[i].word[1] != salt) {
                std::fprintf(stderr, "vector %llu is wrong\n",
                             (unsigned long long)first + i);
                std::exit(1);
            }
    }
}
