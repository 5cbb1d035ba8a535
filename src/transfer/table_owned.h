/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The bytes that each device's CTAs write, gathered range by range while a table is built.
   Tiles of a matrix have a range in each of their rows, millions in all: each is joined to
   that of the CTA before it where it goes on from there, so that rows are left. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct owned {
    uint64_t first, end;
    uint32_t device;
};

struct table_owned {
    struct owned *item;
    size_t count, capacity;
    size_t row;  /* the item that the first range of a CTA may go on from, */
    size_t next; /* and the one for its next range */
    bool appends, is_unsorted;
};

/* Device by device, CTA by CTA: begin one before its ranges are added. */
void owned_begin_cta(struct table_owned *o);
void owned_add(struct table_owned *o, uint32_t device, uint64_t first, uint64_t end);

/* In order of their first bytes; none ends behind `limit`. */
void owned_sort(struct table_owned *o, uint64_t limit);

/* Of sorted ones: two of different devices, the second beginning within the first. */
bool owned_conflict(const struct table_owned *o, const struct owned **one,
                    const struct owned **other);
