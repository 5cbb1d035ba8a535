/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Clusters of CTAs stay on one device: those of one reach each other's shared memory and
   meet at one barrier, and which CTAs are in one only the whole grid tells. */

#include "runtime/launch/launching.h"

/* What of the kernel, or of what it calls, is of clusters: a sentence, which the kernel
   then owns; NULL: nothing. */
char *cluster_use(const struct proact_kernel *k);

/* What is asked for, of which clusters of one CTA count only where the kernel can tell. */
void launch_take_clusters(struct launching *l, const struct proact_grid *g);
/* Whether the launch is in clusters, or of a kernel that asks about them: whatever maps or
   plan there are, it is not split. Noted for cluster_refusal(). */
bool launch_is_in_clusters(const struct launching *l);
/* PROACT_EREFUSED for a marked kernel, which is always split. */
enum proact_status launch_check_clusters(const struct launching *l,
                                         struct proact_error *err);
/* Why the last launch was not split; NULL where it was in no clusters. */
const char *cluster_refusal(const struct proact_kernel *k);
