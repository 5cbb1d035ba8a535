/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Parameters of the kernels of link.cu, for host and device. */

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
    link_u64 vectors; /* of 16 bytes; a multiple of LINK_UNROLL times the thread count */
    link_u32 targets;
};

/* Copies of the lines of the source's first block to `blocks` blocks at `to`. */
enum { LINK_LINE_BYTES = 8192, LINK_LINES = 4 * LINK_BLOCK_WORDS / LINK_LINE_BYTES };
struct link_bulk {
    link_u64 from, to;
    link_u32 blocks, ctas;
};

/* One message per CTA: a line of the source's first block, or its first bytes, repeatedly
   to the same place of consecutive blocks, as often as `bytes` needs. */
struct link_message {
    link_u64 from, to, bytes; /* a multiple of 16 */
    link_u32 blocks;
};

/* Stores of 4 bytes per lane in ranges of 1 << run_shift bytes, `stride` apart. */
struct link_runs {
    link_u64 to;
    link_u64 words;
    link_u32 run_shift, stride;
};

/* Two devices exchange a number: each waits for its own word and writes the other's. */
struct link_ping {
    link_u64 here, there;
    link_u32 rounds, begins;
};

/* A repeated barrier of all devices, with one word per peer. */
struct link_step {
    link_u64 here, there[LINK_TARGETS]; /* here: one word per peer, in the peers' order */
    link_u32 peers, rounds;
};

/* Adds to `wrong` the number of vectors that differ from the pattern; checks every
   `step`-th vector. */
struct link_check {
    link_u64 at, wrong, vectors;
    link_u32 step;
};

LINK_BOTH link_u32 link_pattern(link_u32 word)
{
    link_u32 v = (word & (LINK_BLOCK_WORDS - 1)) * 2654435761u + 12345u;

    return v ^ v >> 15;
}
