/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What was found of a split launch's stores (derive.h), slot by slot. */

#include "runtime/launch/launching.h"

/* The bytes of the slot's array that each CTA may write. An array that is passed twice has
   two slots; what is written of it is the first one's. */
const struct cta_runs *found_runs(const struct launching *l, uint32_t slot);

/* Crumbs: single words and bytes with narrow gaps between them, as every other cell of a
   grid, or members of each struct. They are better taken for rows with these gaps
   (transfer_table.h), where the device that writes them has what lies there. */
enum { FRAGMENT_BYTES = 64 };

static inline bool is_fragmented(const struct rows *r)
{
    return r->count > 1 && r->bytes < FRAGMENT_BYTES &&
           r->pitch - r->bytes <= ROWS_GAP_NARROW;
}

/* A bit for each slot with crumbs among its bytes, if gaps may be closed: nobody stores in
   them, neither another device nor the kernel by what is not in the set. The launch has its
   binding, which keeps them. */
uint32_t fragments_detect(const struct launching *l);
