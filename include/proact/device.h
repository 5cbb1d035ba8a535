/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Device interface for annotated kernels (PROACT IV-A, Listing 1). An annotated kernel

   - takes a `struct proact_partition` by value as its last parameter,
   - takes its CTA number from proact_cta(), or proact_cta_x(), _y() and _z(),
   - stores with proact_store() or proact_store_bulk() to arrays with a proact_kernel_map(),
   - calls proact_done() with all threads of the CTA as its last action. A thread that
     returns early leaves the chunks of its CTA incomplete.

       extern "C" __global__ void twice(const float *in, float *out, unsigned n,
                                        struct proact_partition partition)
       {
           unsigned i = proact_cta(&partition) * proact_cta_size_x() + proact_thread_x();
           if (i < n)
               proact_store(&partition, 0, &out[i], 2 * in[i]);
           proact_done(&partition);
       }

   In one launch it must not load bytes that another device writes. A CTA that stages its
   output in shared memory stores it with proact_store_bulk(), on sm_90 and later through
   the TMA. The header includes no CUDA header: nvcc compiles it, and so does clang without
   a toolkit (-x cuda -nocudainc). Host code uses it for parameter layouts. */

#if defined(__clang__) && defined(__CUDA__) && !defined(__CUDACC_VER_MAJOR__)
#ifndef __global__
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#endif
#endif

typedef unsigned proact_u32;
typedef unsigned long long proact_u64;

/* ---- Parameters: written by the runtime, read by device code ---- */

enum {
    PROACT_SLOTS_MAX = 20, /* arrays that a kernel writes */
    PROACT_PEERS_MAX = 15,
    PROACT_STAGED_MAX = 8, /* arrays that a kernel stages (proact_staged_range) */
};

/* Mode of a launch, a set of bits that the mechanism selects (PROACT III-C). */
enum {
    PROACT_MODE_STORE = 1,   /* inline: each store also goes to the peers that need it */
    PROACT_MODE_COUNT = 2,   /* decoupled: each CTA counts in its chunks at its end */
    PROACT_MODE_SEND = 4,    /* fused: the CTA that completes a chunk sends it */
    PROACT_MODE_MIXED = 8,   /* of two mechanisms: it sends only chunks in sent_by_cta */
    PROACT_MODE_LAUNCH = 16, /* dynamic: that CTA launches a kernel that sends the chunk */
};

/* Piece: bytes of a chunk that this device owns, and sends to the peers first_peer ..
   first_peer + peer_count - 1, by index of peer_offset. */
struct proact_piece {
    proact_u64 first_byte;
    proact_u32 bytes;
    unsigned short first_peer, peer_count;
};

/* Peers of stores, under MODE_STORE: which peers need a store of the kernel, as bits by
   index of peer_offset. A store instruction lies in one line of PROACT_LINE_BYTES, an
   element may extend over several: it goes to the peers of all of them. A peer that gets a
   store without need loses time only. */
enum { PROACT_LINE_BYTES = 32, PROACT_REGIONS_MAX = 4 };
struct proact_region {
    proact_u32 first_line, lines, peers; /* lines of the array */
};
struct proact_stores {
    /* No peer needs a store of the unsent_count local CTAs from unsent_first on, such as
       the interior of a stencil. */
    proact_u32 unsent_first, unsent_count;
    /* Lines that peers need, if these are few regions. region_count 0: see `peers`. */
    proact_u32 region_count, reserved;
    struct proact_region region[PROACT_REGIONS_MAX];
    /* Per local CTA: peers that need some of its stores; NULL: all stores go to all peers.
     */
    const proact_u32 *peers;
};

#if defined(__GNUC__) && !defined(__CUDACC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic" /* C++ has no unnamed struct */
#endif
/* Slot: one array that the kernel writes, from the view of this device. */
struct proact_slot {
    unsigned char *base; /* replica of this device */
    union {
        struct { /* for modes that count */
            /* Chunk lists. The list of local CTA c starts at chunk_lists[list_start[c]]:
               the number of chunks, then their indices. CTAs with equal chunks share a
               list. */
            const proact_u32 *list_start;
            const proact_u32 *chunk_lists;
            /* Regular case. If chunk_shift is not 0, local CTA c writes the single chunk
               (c + cta_bias) >> (chunk_shift - 1), and it has no list. */
            proact_u32 chunk_shift, cta_bias;
            proact_u32 *counter;            /* per chunk: finished writers of all epochs */
            const proact_u32 *writer_count; /* per chunk: writers of one launch */
            /* Launches that counted here, including this one. A chunk is complete when its
               counter reaches table_epoch * writer_count. */
            proact_u32 table_epoch;
            /* Per chunk, and one more: its first index in `piece`. */
            const proact_u32 *piece_first;
            const struct proact_piece *piece;
            /* Per chunk, under MODE_MIXED: 1 if the CTA sends it. */
            const proact_u32 *sent_by_cta;
        };
        struct proact_stores stores; /* for MODE_STORE */
    };
    /* Offsets from an address in this replica to the same byte on each peer, and on device
       0 or in this device's buffer of partial results. */
    long long peer_offset[PROACT_PEERS_MAX];
    long long device0_offset;
};
#if defined(__GNUC__) && !defined(__CUDACC__)
#pragma GCC diagnostic pop
#endif

/* Upper limit of a small piece. The small pieces of a chunk follow all others; if there are
   several, each thread sends one. */
enum { PROACT_SMALL_PIECE_BYTES = 32 };

/* Division by an invariant integer (Granlund and Montgomery, PLDI '94): n / d for n < 2^31
   is n * factor >> shift in 64 bits. A hardware division takes as long as the arithmetic of
   a short CTA. */
struct proact_divisor {
    proact_u32 factor, shift;
};

/* Staging buffer of one array in a rewritten kernel version: local CTA c stages the bytes
   from `first` + c * bytes on, the last CTA only those before `end`. */
struct proact_staged_range {
    unsigned char *first, *end; /* in the replica of this device */
    proact_u32 bytes;           /* multiple of 16; 0: the slot is not staged */
    proact_u32 shared_offset;   /* in the dynamic shared memory of the CTA */
};

/* Slots of a kernel version with staging buffers, which has at most PROACT_STAGED_MAX. */
struct proact_staged_slots {
    struct proact_slot slot[PROACT_STAGED_MAX];
    struct proact_staged_range range[PROACT_STAGED_MAX];
};

/* Partition of a grid: the CTAs that one device executes, and where their writes go. */
struct proact_partition {
    /* Number of local CTA 0 in the whole grid. For kernel versions that execute whole rows
       or planes of the grid: number of the first of these. */
    proact_u32 cta_first;
    proact_u32 grid[3]; /* CTAs of the launch, over all devices */
    proact_u32 mode, epoch, peer_count, slot_count;
    /* Local CTAs without a chunk in any slot: their writes are not sent. All CTAs, if the
       mode does not count. */
    proact_u32 silent_first, silent_count;
    struct proact_divisor grid_divisor[2]; /* of grid[0] and grid[1] */
    const void *child_launch;              /* MODE_LAUNCH: struct child_work */
    /* Last member: a rewritten kernel version receives only the slots that it uses. */
    union {
        struct proact_slot slot[PROACT_SLOTS_MAX];
        struct proact_staged_slots staged;
    };
};

#if defined(__CUDACC__) || defined(__CUDA__)
/* ---- Device code, in order of dependence ---- */
#include <proact/device_primitives.h>
/* uses the primitives */
#include <proact/device_epilogue.h>
/* uses both */
#include <proact/device_bulk.h>
#endif
