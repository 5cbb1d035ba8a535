/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Clusters of CTAs: who is in one, their barrier, and each other's shared memory. */

#include "execute/run/run_region.h"

/* The CTA, whose id is known, joins its cluster; it has ended. */
void cluster_join(struct cta *c);
void cluster_leave(struct cta *c);
void clusters_clear(struct execute_grid *g); /* after the last CTA */

/* barrier.cluster.arrive, and wait: which of the lanes wait. False after a fault. */
bool cluster_arrive(struct execute_warp *w, const struct execute_op *op, uint32_t lanes);
bool cluster_wait(struct execute_warp *w, const struct execute_op *op, uint32_t lanes,
                  uint32_t *waiting);
/* Lanes of the warp have exited: nobody waits for them. */
void cluster_exit(struct execute_warp *w, uint32_t lanes);

/* The CTA has come to rest at its cluster's barrier, or has ended: one that will never go
   on, now that all of the cluster rest, or NULL. */
struct cta *cluster_stuck(struct cta *c);

/* Where an address of shared memory leads, offsets in which count from the region's start;
   false after a fault. `window`: what the address has on top. */
bool cluster_region(struct execute_warp *w, const struct site *s, unsigned lane,
                    uint64_t address, uint64_t window, struct region *out);
