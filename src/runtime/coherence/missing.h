/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What devices lack of what they are about to read of an array, and who sends it to them.
 */

#include "base/spans/rows.h"
#include "runtime/derive/needs.h"

/* Of one stretch. */
struct missing_range {
    unsigned from, to;
    uint64_t first, end;
};
/* As few copies as are seen, by their sender and then by who receives them: many equal
   stretches equally far apart are one. */
struct missing_copy {
    unsigned from, to;
    struct rows rows;
};
struct missing_ranges {
    struct missing_copy *copy;
    size_t count, capacity;
    uint32_t receivers[PROACT_DEVICES_MAX]; /* by sender, a bit each */
    uint64_t bytes;                /* that are lacking, without what goes along with them */
    struct missing_range *stretch; /* by who receives them, in order; until it is noted */
    size_t stretch_count, stretch_capacity;
};

/* `needs`: by device, NULL for nothing. Start from zero. */
void missing_find(const struct proact_array *a, const struct transfer_need *const *needs,
                  struct missing_ranges *out);
/* It was sent: the array's holdings become so. */
void missing_record(struct proact_array *a, struct missing_ranges *l);
void missing_clear(struct missing_ranges *l);
