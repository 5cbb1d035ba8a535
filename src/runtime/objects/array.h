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
    uint64_t id; /* never used again in the session */
    char *name;  /* its own in the session */
    size_t count, element_bytes, bytes;
    device_addr base[PROACT_DEVICES_MAX];
    uint64_t part;  /* distributed.h: the next device has what lies so far behind; 0: it is
                       not, and has replicas */
    bool is_shared; /* the host may have changed it at any time */
    bool is_pinned; /* the first device's replica is the host's memory */
    struct validity_map validity_map; /* fetch.c */
    struct transition_cache *steps;   /* transition_cache.h; NULL: none yet */
    uint64_t validity_sequence;       /* the last change of all arrays that they know of */
    uint64_t changes; /* grows when anything, but the host to one that it shares, may have
                         written to it; after array_catch_up() */
    struct known_bytes *known; /* known_bytes.h; NULL: nothing of it is known */
    uint64_t settled_changes; /* of a shared one, when devices last had done all they would,
                                 if it was asked then */
    bool was_settled;
    bool by_launch;       /* a launch on one device made the others stay behind */
    struct choice *wrote; /* whose launch wrote last to it, either way; NULL: none's */
    struct kernel_binding *writer; /* whose launch last wrote to it; NULL: another way */
    unsigned writer_slot;
    uint64_t used; /* the last operation that touched it, on lane MAIN */
    /* The last that sent it: from whom, to whom, by which lane. */
    uint64_t sent[PROACT_DEVICES_MAX][PROACT_DEVICES_MAX][TRANSFER_LANES];
    /* What was sent to a device since a launch there last waited for all of that. */
    struct transfer_need fresh[PROACT_DEVICES_MAX];
    struct array_traffic {
        uint64_t bytes, chunks;
    } traffic[PROACT_DEVICES_MAX];
    struct array_in_launch { /* launching.h: the last one that counted its arrays */
        uint64_t counted;
        size_t relocation;
        uint32_t number;
    } in_launch;
    struct array_partials { /* partials.h */
        device_addr at[PROACT_DEVICES_MAX];
        uint32_t kind;       /* of reductions, for which they are ready; 0: for none */
        uint64_t generation; /* of the session, since which they are */
        bool are_used;       /* by the launch on its way */
        bool is_refused;     /* there was no memory */
    } partials;
};
