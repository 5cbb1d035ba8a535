/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Bulk stores from shared memory to global memory by the asynchronous proxy. The proxy
   observes a thread's store to shared memory only if a fence.proxy.async is between the
   store and the bulk store. In a checked launch of a kernel with bulk stores, a byte's mark
   in shared_written records the progress. The check is coarser than the memory model and
   can only miss a fault: a fence covers all lanes of the warp, and a barrier all warps. */

#include "execute/run/run.h"

enum {
    BULK_ORDERED = 1,   /* a fence.proxy.async has followed */
    BULK_PUBLISHED = 2, /* a barrier or fence has followed: a proxy fence of any warp
                           completes the order */
    BULK_OWN = 3        /* + warp: only a proxy fence of that warp completes the order */
};

/* Mark for bytes that the warp stores. */
static inline unsigned char bulk_mark(const struct execute_warp *w)
{
    return w->grid->kernel->stores_bulk ? (unsigned char)(BULK_OWN + w->index)
                                        : BULK_ORDERED;
}

/* Other warps of the CTA may have observed the warp's stores, or all stores of the CTA. */
void bulk_publish(struct execute_warp *w);
void bulk_meet(struct cta *c);
/* The warp has executed a fence.proxy.async. */
void bulk_order(struct execute_warp *w);

/* CODE_BULK. */
enum access_result bulk_step(struct execute_warp *w, const struct execute_op *op,
                             uint32_t mask);
