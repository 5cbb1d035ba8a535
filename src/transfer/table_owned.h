/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The bytes that each device's CTAs write, gathered while a table is built. Tiles of a
   matrix, of which there may be millions, are joined to those of the CTA before it where
   they go on from there, so that rows are left. */

#include "base/rows.h"

struct owned {
    uint64_t first, end;
    uint32_t device;
};

struct table_owned {
    struct owned *item; /* once sorted */
    struct owned_tile {
        struct rows rows;
        uint32_t device;
    } * tile;
    size_t count, capacity, tile_count, tile_capacity;
    size_t row;  /* the tile that the first rows of a CTA may go on from, */
    size_t next; /* and the one for its next rows */
    bool appends, is_unsorted;
};

/* Device by device, CTA by CTA: begin one before its rows are added. */
void owned_begin_cta(struct table_owned *o);
void owned_add(struct table_owned *o, uint32_t device, const struct rows *r);

/* Items, in order of their first bytes; none ends behind `limit`. Once, behind the last
   owned_add(). */
void owned_sort(struct table_owned *o, uint64_t limit);
void owned_clear(struct table_owned *o);

/* Of sorted ones: two of different devices, the second beginning within the first. */
bool owned_conflict(const struct table_owned *o, const struct owned **one,
                    const struct owned **other);
