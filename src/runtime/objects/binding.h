/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Bindings of a kernel: arrays and counter tables of one launch shape. */

#include <proact/program.h>

#include "transfer/transfer.h"

/* Tables and bindings are kept for the shapes of launch that asked for them. */
struct kernel_tables {
    struct kernel_tables *next;
    uint32_t slot, grid[3], cta_first[PROACT_DEVICES_MAX + 1];
    uint64_t array_bytes, chunk_bytes, rise_bytes;
    uint64_t digest;     /* of the map, where it was derived; else 0 */
    uint64_t needs;      /* of what is sent to whom; 0: all to all */
    uint64_t reads;      /* of what closes narrow gaps; 0: none are closed */
    uint64_t generation; /* of the session, when the counters last were as they should */
    uint64_t number;     /* its own in the session (transition_cache.h) */
    struct transfer_tables *tables;
};

/* Where each CTA of a launch writes one run of an array, all of
   it, and the next CTA the next one: CTA c from `first` + c * bytes on, the last ones only
   what is ahead of `end`. */
struct binding_stage {
    uint32_t bytes; /* of a CTA, of all arrays; 0: it is not so */
    struct stage_run {
        uint64_t first, end; /* bytes of the slot's array */
        uint32_t bytes, at;  /* at: in the stage */
    } run[PROACT_STAGED_MAX];
};

struct kernel_binding {
    struct kernel_binding *next;
    struct binding_stage stage; /* launch_stage.h */
    uint32_t grid[3];
    uint64_t digest; /* as in kernel_tables */
    struct proact_array *array[PROACT_SLOTS_MAX];
    struct kernel_tables *tables[PROACT_SLOTS_MAX];
    uint32_t cta_first[PROACT_DEVICES_MAX + 1];
    uint64_t uploaded;           /* the operation that put its tables on lane MAIN */
    struct consumers *consumers; /* consumers.c */
    uint32_t fragmented_slots;   /* by slot: fragments_detect() */
    bool has_gaps;               /* what lies between its rows was brought (fetch.c) */
    struct transfer_binding transfer;
};
