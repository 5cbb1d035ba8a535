/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Read set of a launch, per device. */

#include "access/access.h"
#include "base/spans/rows.h"

struct proact_kernel;

struct loads_finder {
    const struct launching *launch;
    const struct access_analysis *analysis;
    struct access_launch at;
    const bool *left_out; /* by instruction, or NULL */
    unsigned device;      /* current device */
    uint32_t array_count;
    struct launch_needs *into;
    struct spans *rows;          /* by array: ranges of the current load */
    struct rows_list *many;      /* by array: pending strided ranges of several loads */
    const struct cta_part *part; /* by device; NULL: all its CTAs */
    int64_t *trips;
    bool stays; /* an access that starts in an array stays in it, as far as provenance.h can
                   tell */
    bool is_mixed;
};

/* Whether the record is a read of an array. */
bool loads_is_one(const struct proact_kernel *k, const struct access_record *r);
/* `block`: the parameters. The partition parameter of an annotated kernel is
   overwritten. */
void loads_find(struct loads_finder *f, unsigned char *block);
