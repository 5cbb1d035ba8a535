/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Shared, thread, parameter and constant memory, and the checks of a warp's accesses. */

#include "execute/run/run_bulk.h"

/* A memory region: addresses from `start` on. */
struct region {
    const char *name;
    uint64_t start, bytes;
    unsigned char *memory, *written; /* written: NULL if writes are not tracked */
    uint64_t lane_bytes;             /* distance between the lanes' memories; 0: common to
                                        all lanes */
    unsigned char mark;              /* value in `written` for stored bytes: not 0 */
};

/* Shared memory of a CTA at addresses from `start` on. Stores of another CTA there count as
   published, because no warp of this CTA has ordered them before its bulk stores. */
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

/* Checks a lane's access to `offset` of the region and marks stored bytes. On a fault,
   writes the message and returns false. */
bool lane_allowed(struct execute_warp *w, const struct region *region, const struct site *s,
                  unsigned lane, uint64_t offset);
