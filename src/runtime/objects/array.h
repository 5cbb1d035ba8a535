/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Array of a session: replicas, validity map, and the operations that last used it. */

#include <proact/program.h>

#include "device/device.h"
#include "runtime/objects/validity.h"
#include "transfer/transfer.h"

struct proact_array {
    struct proact *session;
    struct proact_array *next;
    uint64_t id; /* unique in the session, never reused */
    char *name;  /* unique in the session */
    size_t count, element_bytes, bytes;
    device_addr base[PROACT_DEVICES_MAX];
    uint64_t part;    /* partition bytes of a distributed array; 0: replicated */
    bool is_shared;   /* host-accessible: the host may change it at any time */
    bool is_pinned;   /* the replica of device 0 is host memory */
    uint32_t unified; /* number of its pages (unified.h) */
    struct validity_map validity_map;
    struct transition_cache *steps; /* NULL: empty */
    struct array_checked { /* replica_stores() and digest of the map when last checked */
        uint64_t stores, digest;
    } checked;
    uint64_t validity_sequence; /* session's all_changed that the map reflects */
    uint64_t changes; /* counts possible writes, except host writes to a host-accessible
                         array; valid after array_catch_up() */
    struct known_bytes *known; /* NULL: no known contents */
    uint64_t settled_changes; /* host-accessible array: `changes` when the devices were last
                                 seen idle; valid if was_settled */
    bool was_settled;
    bool is_computed;     /* some split launch may have written to it */
    bool by_launch;       /* a single-device launch made the other replicas stale */
    struct choice *wrote; /* decision of the last launch that wrote to it; NULL: none */
    struct kernel_binding *writer; /* of the last write; NULL: not a split launch */
    unsigned writer_slot;
    uint64_t used; /* last operation on a kernel stream that used it */
    /* Last transfer by sender, receiver and stream of the sender. */
    uint64_t sent[PROACT_DEVICES_MAX][PROACT_DEVICES_MAX][TRANSFER_LANES];
    /* Bytes sent to a device since a launch there last waited for all of them. */
    struct transfer_need fresh[PROACT_DEVICES_MAX];
    struct array_traffic {
        uint64_t bytes, chunks;
    } traffic[PROACT_DEVICES_MAX];
    struct array_in_launch { /* number in the launch `counted` (launching_count_arrays()) */
        uint64_t counted;
        size_t relocation;
        uint32_t number;
    } in_launch;
    struct array_partials { /* buffers of partial results (partials.h) */
        device_addr at[PROACT_DEVICES_MAX];
        uint32_t kind; /* kind of reduction whose neutral element they contain; 0: none */
        uint64_t generation; /* session's generation in which they were filled */
        bool are_used;       /* by the current launch */
        bool is_refused;     /* memory allocation failed */
    } partials;
};
