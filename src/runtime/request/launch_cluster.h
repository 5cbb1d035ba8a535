/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Clusters of CTAs. A launch in clusters runs on one device: the CTAs of a cluster access
   each other's shared memory and share a barrier, and their grouping depends on the full
   grid. */

#include <proact/status.h>
#include <stdbool.h>

struct launching;
struct proact_grid;
struct proact_kernel;

/* Sentence that names the first cluster operation of the kernel or of its callees; the
   caller owns it. NULL: none. */
char *cluster_use(const struct proact_kernel *k);

/* Copies the cluster shape of the launch. Clusters of one CTA count only if the kernel can
   observe them. */
void launch_take_clusters(struct launching *l, const struct proact_grid *g);
/* Whether the launch uses clusters. Such a launch is never split, even with maps; the
   reason is stored for cluster_refusal(). */
bool launch_is_in_clusters(const struct launching *l);
/* Fails with PROACT_EREFUSED for an annotated kernel, which cannot run on one device. */
enum proact_status launch_check_clusters(const struct launching *l,
                                         struct proact_error *err);
/* Reason why the last launch was not split; NULL: it used no clusters. */
const char *cluster_refusal(const struct proact_kernel *k);
