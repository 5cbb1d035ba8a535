/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Bindings of a kernel: arrays and counter tables of one launch shape. */

#include <proact/program.h>

#include "transfer/transfer.h"

/* Counter tables of one slot, cached by launch shape. */
struct kernel_tables {
    struct kernel_tables *next;
    uint32_t slot, grid[3], cta_first[PROACT_DEVICES_MAX + 1];
    uint64_t array_bytes, chunk_bytes, rise_bytes;
    uint64_t digest;   /* digest of a derived map; 0: the user's map */
    uint64_t needs;    /* digest of the push targets; 0: all to all */
    uint64_t reads;    /* digest of the reads that permit closed gaps; 0: none are closed */
    bool by_store;     /* for a method whose kernels store to the peers */
    bool copies_pairs; /* pairs of devices without peer access have copied pieces */
    bool elide;        /* without receivers, of a plan that skips transfers */
    uint64_t
        generation;  /* session's generation in which the counters were last restarted */
    uint64_t number; /* key in transition caches, unique in the session */
    struct transfer_tables *tables;
};

/* Ranges of a launch that stages its stores: CTA c writes `bytes` bytes of a slot from
   first + c * bytes on, clipped at `end`. */
struct binding_stage {
    uint32_t bytes; /* staging buffer of a CTA, for all arrays; 0: no staging */
    struct stage_run {
        uint64_t first, end; /* bytes of the slot's array */
        uint32_t bytes, at;  /* at: offset in the staging buffer */
    } run[PROACT_STAGED_MAX];
    bool is_decided, pays;      /* by modelled times, at the first launch */
    double staged_ns, plain_ns; /* with and without staging */
};

struct kernel_binding {
    struct kernel_binding *next;
    struct binding_stage stage; /* launch_stage.h */
    uint32_t grid[3];
    uint64_t digest; /* as in kernel_tables */
    struct proact_array *array[PROACT_SLOTS_MAX];
    struct kernel_tables *tables[PROACT_SLOTS_MAX];
    uint32_t cta_first[PROACT_DEVICES_MAX + 1];
    uint64_t used;               /* last operation before its last launch */
    unsigned launches;           /* that found this binding, or one that it replaces */
    uint64_t launched;           /* number of its last launch */
    uint64_t uploaded;           /* operation that uploaded the tables */
    struct consumers *consumers; /* consumer prediction */
    uint32_t fragmented_slots;   /* bit mask of slots, from fragments_detect() */
    bool is_divided;             /* its last launch had an interior */
    bool has_gaps;               /* gaps between its ranges were fetched */
    struct transfer_binding transfer;
};
