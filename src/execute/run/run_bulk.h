/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Bulk stores: from shared memory to global memory, by the asynchronous proxy. It sees what
   threads stored to shared memory only behind a fence.proxy.async on the way from the store
   to the bulk store. Where the launch checks and the kernel stores in bulk, a byte's mark
   in shared_written says how far on that way it is. It is coarser than the memory model
   where that can only miss a fault: a fence covers the whole warp, and a barrier all warps.
 */

#include "execute/run/run.h"

enum {
    BULK_ORDERED = 1,   /* a fence.proxy.async has followed */
    BULK_PUBLISHED = 2, /* a barrier or fence has followed: anybody's will do */
    BULK_OWN = 3        /* + warp: only that warp's own fence.proxy.async will */
};

/* The mark of what the warp stores. */
static inline unsigned char bulk_mark(const struct execute_warp *w)
{
    return w->grid->kernel->stores_bulk ? (unsigned char)(BULK_OWN + w->index)
                                        : BULK_ORDERED;
}

/* Others of the CTA may have learned of what the warp stored; of what all stored. */
void bulk_publish(struct execute_warp *w);
void bulk_meet(struct cta *c);
/* It has executed a fence.proxy.async. */
void bulk_order(struct execute_warp *w);

/* CODE_BULK. */
enum access_result bulk_step(struct execute_warp *w, const struct execute_op *op,
                             uint32_t mask);
