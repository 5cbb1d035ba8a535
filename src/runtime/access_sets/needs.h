/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Read set of a split launch, per device: from the closed forms of the kernel's loads
   (access.h), or the entire array without one. */

#include "transfer/transfer.h"

struct cta_part;
struct launching;
struct proact_kernel;

/* Needs by array and device. Arrays are numbered by launching_number(). Valid until the
   kernel's next launch. */
struct launch_needs {
    unsigned devices;
    uint64_t number; /* id, unique in the session (transition_cache.h) */
    struct transfer_need *need;
    struct transfer_need *read; /* `need` without bytes that only have to be current
                                   because the launch may leave them unchanged; NULL: no
                                   such bytes, use `need` */
};
static inline const struct transfer_need *needs_of(const struct launch_needs *n,
                                                   uint32_t array, unsigned device)
{
    return &n->need[array * n->devices + device];
}

/* Bytes that the launch reads: what predicts the next reads (consumers.h). */
static inline const struct transfer_need *needs_read(const struct launch_needs *n,
                                                     uint32_t array, unsigned device)
{
    return n->read ? &n->read[array * n->devices + device] : needs_of(n, array, device);
}

/* Needs of a launch with a binding; without one, needs of the entire grid on device 0.
   Accesses in `left_out` (by instruction; NULL: none) are excluded. In a program with
   `left_out`, bounds are clipped to the array, because provenance was checked. */
const struct launch_needs *needs_find(const struct launching *l, const bool *left_out);
/* Needs of the CTAs where they run. Shared writes belong to device 0. */
const struct launch_needs *needs_of_launch(const struct launching *l);
/* Needs of a range of each device's CTAs, after l->needs was found. Valid as long as
   l->needs, if each set of ranges has its own `part_index`. */
enum { NEEDS_PARTS = 2 };
const struct launch_needs *needs_of_part(const struct launching *l,
                                         const struct cta_part *part, unsigned part_index);
void needs_drop(struct proact_kernel *k);

/* Accesses of the kernel, valid until needs_drop(). */
const struct access_analysis *needs_analysis(struct proact_kernel *k);
/* Parameters of device 0; the caller frees them. */
unsigned char *needs_block(const struct launching *l);
