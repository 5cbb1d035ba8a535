/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Shared, thread, parameter and constant memory, and what a warp may do there. */

#include "execute/run/run_bulk.h"

/* Thread, shared, parameter and constant memory: addresses from `start` on. */
struct region {
    const char *name;
    uint64_t start, bytes;
    unsigned char *memory, *written; /* written: NULL where that is not checked */
    uint64_t lane_bytes;             /* each lane has its own, so far apart */
    unsigned char mark;              /* in `written`, of what is stored: not 0 */
};

/* Of a CTA, seen as addresses from `start` on; what another one stores there, no warp of it
   has ordered before its bulk stores. */
static inline struct region cta_region(const struct cta *c, uint64_t start)
{
    const struct execute_grid *g = c->face.grid;

    return (struct region){"shared",
                           start,
                           g->shared_bytes,
                           c->shared,
                           c->shared_written,
                           0,
                           g->kernel->stores_bulk ? BULK_PUBLISHED : BULK_ORDERED};
}

static inline struct region shared_region(const struct execute_warp *w, uint64_t start)
{
    struct region r = cta_region(w->cta, start);

    r.mark = bulk_mark(w);
    return r;
}

static inline struct region thread_region(const struct execute_warp *w, uint64_t start)
{
    return (struct region){"local",
                           start,
                           w->grid->thread_bytes,
                           w->thread_memory,
                           w->thread_written,
                           w->grid->thread_bytes,
                           1};
}

/* Whether the lane may access `offset` of the region; writes the sentence if not, and notes
   what is stored. */
bool lane_allowed(struct execute_warp *w, const struct region *region, const struct site *s,
                  unsigned lane, uint64_t offset);
