/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the kernels of link.cu take: for both sides. */

#if defined(__CUDACC__) || defined(__CUDA__)
typedef unsigned long long link_u64;
typedef unsigned link_u32;
#define LINK_BOTH __device__ static inline __attribute__((always_inline))
#else
#include <stdint.h>
typedef uint64_t link_u64;
typedef uint32_t link_u32;
#define LINK_BOTH static inline
#endif

enum { LINK_TARGETS = 15, LINK_UNROLL = 4, LINK_BLOCK_WORDS = 1 << 20 };

struct link_copy {
    link_u64 from, to[LINK_TARGETS];
    link_u64 vectors; /* of 16 bytes; a multiple of LINK_UNROLL times all threads */
    link_u32 targets;
};

/* Lines of the source's first block, each to its place in `blocks` blocks at `to`. */
enum { LINK_LINE_BYTES = 8192, LINK_LINES = 4 * LINK_BLOCK_WORDS / LINK_LINE_BYTES };
struct link_bulk {
    link_u64 from, to;
    link_u32 blocks, ctas;
};

/* Stores of 4 bytes a lane in runs of 1 << run_shift bytes, `stride` apart. */
struct link_runs {
    link_u64 to;
    link_u64 words;
    link_u32 run_shift, stride;
};

/* Two devices hand a number to and fro: each waits for its word and writes the other's. */
struct link_ping {
    link_u64 here, there;
    link_u32 rounds, begins;
};

/* All devices wait for each other, again and again: one word a peer. */
struct link_step {
    link_u64 here, there[LINK_TARGETS]; /* here: a word each, in the peers' order */
    link_u32 peers, rounds;
};

/* Counts into `wrong` the vectors that are not the pattern, one of `step` looked at. */
struct link_check {
    link_u64 at, wrong, vectors;
    link_u32 step;
};

LINK_BOTH link_u32 link_pattern(link_u32 word)
{
    link_u32 v = (word & (LINK_BLOCK_WORDS - 1)) * 2654435761u + 12345u;

    return v ^ v >> 15;
}
