/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* For kernels whose author marks by hand what they share (PROACT IV-A, Listing 1). Such a
   kernel takes a `struct proact_partition` by value as its last parameter, numbers its CTAs
   with proact_cta(), or proact_cta_x() and the like, stores with proact_store() into the
   arrays that were declared with proact_kernel_map(), and calls proact_done() with every
   thread as its last words:

       extern "C" __global__ void twice(const float *in, float *out, unsigned n,
                                        struct proact_partition partition)
       {
           unsigned i = proact_cta(&partition) * proact_cta_size_x() + proact_thread_x();
           if (i < n)
               proact_store(&partition, 0, &out[i], 2 * in[i]);
           proact_done(&partition);
       }

   A CTA that stages what it makes in shared memory sends it with proact_store_bulk(): in
   runs of 16 bytes and more, and on sm_90 and later beside its threads.

   It includes nothing of CUDA: nvcc and a bare clang (-x cuda -nocudainc) compile it. */

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

enum {
    PROACT_SLOTS_MAX = 20, /* arrays that one kernel writes */
    PROACT_PEERS_MAX = 15,
    PROACT_STAGED_MAX = 8, /* arrays that it may stage (proact_staged_range) */
};

/* What a launch asks of the kernel; set by the mechanism. */
enum {
    PROACT_MODE_STORE = 1, /* stores go to the peers too: inline */
    PROACT_MODE_COUNT = 2, /* count a CTA in its chunks when it ends */
    PROACT_MODE_SEND = 4,  /* the CTA that completes a chunk sends it: fused */
    PROACT_MODE_MIXED = 8, /* it sends those that `sends` says; others wait for the rest */
    PROACT_MODE_LAUNCH = 16, /* it launches a kernel that sends them: dynamic */
};

/* A run of bytes of a chunk that this device owns and sends, to the peers first_peer ..
   first_peer + peer_count - 1. */
struct proact_piece {
    proact_u64 first_byte;
    proact_u32 bytes;
    unsigned short first_peer, peer_count;
};

/* One written array, as this device sees it. */
struct proact_slot {
    unsigned char *base; /* this device's replica */
    /* CTA c of this kernel writes into so many chunks as chunk[first[c]] says, which are
       behind that, a row each; CTAs that write alike share them. */
    const proact_u32 *list_start;
    const proact_u32 *chunk_lists;
    /* Where `regular` is not 0, CTA c writes into one, (c + ahead) >> regular - 1: it does
       not look that up, and it is not there. */
    proact_u32 chunk_shift, cta_bias;
    proact_u32 *counter; /* by chunk: its writers that have ended, in all launches */
    const proact_u32 *writer_count; /* by chunk: in one launch */
    proact_u32 table_epoch; /* of launches that count here; a chunk is complete at round *
                               writers */
    const proact_u32 *piece_first; /* by chunk: rows of `piece` */
    const struct proact_piece *piece;
    const proact_u32
        *sent_by_cta; /* by chunk, under PROACT_MODE_MIXED: 1 where the CTA sends */
    long long
        peer_offset[PROACT_PEERS_MAX]; /* added to an address: the same byte on that peer */
    long long device0_offset;          /* and on the first device */
};

/* Of a chunk, pieces of at most so many bytes are behind all others: where they are many,
   each thread sends one alone. */
enum { PROACT_SMALL_PIECE_BYTES = 32 };

/* n / d for every n below 2^31: n * factor >> shift, of 64 bits. A division takes as long
   as a short CTA's arithmetic (Granlund and Montgomery, PLDI'94). */
struct proact_divisor {
    proact_u32 factor, shift;
};

/* What the CTAs of a compiler's clone stage of one array: CTA c of this kernel `bytes` from
   `first` + c * bytes on, the last one only those ahead of `end`. */
struct proact_staged_range {
    unsigned char *first, *end; /* on this device */
    proact_u32 bytes;           /* multiple of 16; 0: nothing */
    proact_u32 shared_offset;   /* in the CTA's dynamic shared memory */
};

/* By slot. Who stages has fewer of these. */
struct proact_staged_slots {
    struct proact_slot slot[PROACT_STAGED_MAX];
    struct proact_staged_range range[PROACT_STAGED_MAX];
};

struct proact_partition {
    proact_u32
        cta_first;      /* of this kernel, in the whole grid; a row or plane, if in such */
    proact_u32 grid[3]; /* of the whole launch */
    proact_u32 mode, epoch, peer_count, slot_count;
    proact_u32 silent_first, silent_count; /* CTAs of this kernel, from `quiet` on, that
                                      have no row in any slot: what they write goes to
                                      nobody. All of them, where the mode does not count */
    struct proact_divisor grid_divisor[2]; /* grid[0], grid[1] */
    const void *child_launch; /* under PROACT_MODE_LAUNCH: what they are told */
    /* Last: a compiler's clone is given as much of it as it has slots. */
    union {
        struct proact_slot slot[PROACT_SLOTS_MAX];
        struct proact_staged_slots staged;
    };
};

#if defined(__CUDACC__) || defined(__CUDA__)
#include <proact/device_primitives.h>
/* the former's words are the latter's */
#include <proact/device_epilogue.h>
/* and its */
#include <proact/device_bulk.h>
#endif
