/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Clusters of CTAs: membership, barrier, and access to each other's shared memory. */

#include "execute/run/run_region.h"

/* Adds the CTA, whose id is set, to its cluster; removes an ended CTA. */
void cluster_join(struct cta *c);
void cluster_leave(struct cta *c);
void clusters_clear(struct execute_grid *g); /* after the last CTA */

/* barrier.cluster.arrive, and wait, which returns the waiting lanes. Both return false
   after a fault. */
bool cluster_arrive(struct execute_warp *w, const struct execute_op *op, uint32_t lanes);
bool cluster_wait(struct execute_warp *w, const struct execute_op *op, uint32_t lanes,
                  uint32_t *waiting);
/* Removes exited lanes of the warp from the cluster barrier. */
void cluster_exit(struct execute_warp *w, uint32_t lanes);

/* Called when the CTA is blocked at its cluster barrier or has ended. Returns a CTA that
   can never continue because all of the cluster are blocked, or NULL. */
struct cta *cluster_stuck(struct cta *c);

/* Region of shared memory that an address refers to, relative to the region's start.
   `window`: the base of the address window. Returns false after a fault. */
bool cluster_region(struct execute_warp *w, const struct site *s, unsigned lane,
                    uint64_t address, uint64_t window, struct region *out);
