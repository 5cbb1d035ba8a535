/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Bytes that the CTAs of each device write, collected while a table is built. */

#include "base/spans/rows.h"

struct owned {
    struct rows rows;
    uint32_t device;
};

struct table_owned {
    struct owned *item;
    size_t count, capacity;
};

void owned_add(struct table_owned *o, uint32_t device, const struct rows *r);

/* Sorts the items by first byte; none ends after `limit`. Strided ranges with other items
   between their ranges become single ranges. Call it once, after the last owned_add(). */
void owned_sort(struct table_owned *o, uint64_t limit);
void owned_clear(struct table_owned *o);

/* Finds two sorted items of different devices that overlap; the second begins within the
   first. */
bool owned_conflict(const struct table_owned *o, const struct owned **one,
                    const struct owned **other);
