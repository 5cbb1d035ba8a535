/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the loads of one launch need, device by device. */

#include "access/access.h"
#include "base/spans/rows.h"
#include "runtime/derive/needs.h"

struct loads_finder {
    const struct launching *launch;
    const struct access_analysis *analysis;
    struct access_launch at;
    const bool *left_out; /* by instruction, or NULL */
    unsigned device;      /* this one, now */
    uint32_t array_count;
    struct launch_needs *into;
    struct spans *rows;          /* by array: of one load, on their way there; */
    struct rows_list *many;      /* and many of several, as they are told */
    const struct cta_part *part; /* by device; NULL: all of its CTAs */
    int64_t *trips;
    bool stays; /* what begins in an array stays there, for all that strays.h knows */
    bool is_mixed;
};

/* Whether what the record reads is part of it. */
bool loads_is_one(const struct proact_kernel *k, const struct access_record *r);
/* `block` are its parameters, of which it may change a marked kernel's share. */
void loads_find(struct loads_finder *f, unsigned char *block);
