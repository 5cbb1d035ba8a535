/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Attributes of launches, and the clusters of CTAs that they ask for. */

#include "rt/rt.h"

/* By cudaLaunchAttributeID. */
enum { RT_COOPERATIVE = 2, RT_CLUSTER = 4 };
/* Of one that is neither: whether the launch is right without it, being a hint, or leave to
   do what need not be done. */
bool rt_is_hint(int attribute);

/* The configuration as a grid; what cannot be had is said with the call's name. */
enum cuda_error rt_config_read(const struct cuda_launch_config *config, const char *call,
                               struct proact_grid *out);

/* Of a launch that asks for none, the clusters that the program has set for the kernel;
   then whether they can be had. */
enum cuda_error rt_cluster_settle(const struct cuda_kernel *k, struct proact_grid *grid);
/* Whether the launch is in clusters of more than one CTA. */
bool rt_in_clusters(const struct cuda_kernel *k, const struct proact_grid *grid);

/* What cudaFuncSetAttribute() says of clusters; NotSupported: it is of something else. */
enum cuda_error rt_cluster_set(struct cuda_kernel *k, int attribute, int value);
/* What the kernel was built for, or the program has set; 0, all: neither. */
const uint32_t *rt_cluster_required(const struct cuda_kernel *k);

/* Queues it, with an argument of the kernel's at each pointer. */
enum cuda_error rt_launch(struct rt *rt, struct cuda_kernel *k,
                          const struct proact_grid *grid, struct cuda_stream *stream,
                          void **args);
