/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The bytes that each device's CTAs write, gathered while a table is built. */

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

/* Items, in order of their first bytes; none ends behind `limit`. Rows between which others
   lie come one by one. Once, behind the last owned_add(). */
void owned_sort(struct table_owned *o, uint64_t limit);
void owned_clear(struct table_owned *o);

/* Of sorted ones: two of different devices, the second beginning within the first. */
bool owned_conflict(const struct table_owned *o, const struct owned **one,
                    const struct owned **other);
