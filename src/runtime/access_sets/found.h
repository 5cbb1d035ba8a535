/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Write set of a split launch by slot (derive.h). */

#include "base/spans/cta_runs.h"

struct launching;

/* Bytes that each CTA may write in the slot's array. If two slots have the same array, the
   first one has its write set. */
const struct cta_runs *found_runs(const struct launching *l, uint32_t slot);

/* Strided fragments: words with small gaps, such as every other cell of a grid or a member
   of each struct. They are treated as rows with gaps (transfer_table.h) if the writer has
   the contents of the gaps. */
enum { FRAGMENT_BYTES = 64 };

static inline bool is_fragmented(const struct rows *r)
{
    return r->count > 1 && r->bytes < FRAGMENT_BYTES &&
           r->pitch - r->bytes <= ROWS_GAP_NARROW;
}

/* Set of slots whose writes are fragments with closable gaps: neither another device nor an
   unlisted store writes there. The launch has its binding, which stores the result. */
uint32_t fragments_detect(const struct launching *l);
