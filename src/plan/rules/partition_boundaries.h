/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Rule of the partition boundaries. Arrays of about one size share boundaries, those of the
   launch whose CTAs write the largest ranges. A launch that writes a small part follows the
   shortest range that encloses its own. Whether a launch can follow is a result of its
   footprint. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Shared boundaries of one range of arrays of similar size, for a number of devices. */
struct plan_boundaries {
    uint64_t first, end; /* the range */
    uint64_t bytes;      /* of the array */
    uint64_t step;       /* bytes per CTA of the launch that set them */
    unsigned devices;
};

/* What a launch writes. */
struct plan_written {
    uint64_t first, end; /* the range, or the entire array if more than half is written */
    uint64_t bytes;      /* of the array */
    uint64_t step;       /* bytes per CTA; 0: the launch sets no boundaries */
    bool has_repeated;
    unsigned devices;
};

/* Boundaries of the shortest range that encloses the written one; NULL: there are none.
   They are the launch's own if the ranges agree, and outgrown if its step is far larger. */
struct plan_boundaries_view {
    const struct plan_boundaries *around;
    bool is_own, is_outgrown;
};
struct plan_boundaries_view plan_boundaries_view(const struct plan_written *w,
                                                 const struct plan_boundaries *const *all,
                                                 unsigned count);

/* Partitions of a launch. */
enum plan_partition {
    PLAN_PARTITION_FOLLOWS, /* at the boundaries around its range */
    PLAN_PARTITION_CHANGES, /* equal ones, to which these boundaries change */
    PLAN_PARTITION_SETS,    /* equal ones, which become new boundaries */
    PLAN_PARTITION_EQUAL,
    PLAN_PARTITIONS
};
/* Alternatives in descending preference; returns their number. The first legal one
   applies; the last one always is. */
unsigned plan_boundaries_expand(const struct plan_written *w,
                                const struct plan_boundaries_view *v,
                                enum plan_partition out[PLAN_PARTITIONS]);
