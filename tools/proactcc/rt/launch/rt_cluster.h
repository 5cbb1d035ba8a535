/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Launch attributes and clusters of CTAs. */

#include "rt/rt.h"

/* cudaLaunchAttributeID. */
enum { RT_COOPERATIVE = 2, RT_CLUSTER = 4 };
/* True for a hint or a permission: the launch is correct if the attribute is ignored. For
   attributes other than the two above. */
bool rt_is_hint(int attribute);

/* The grid of a configuration. A message with the call's name states an unsupported
   feature. */
enum cuda_error rt_config_read(const struct cuda_launch_config *config, const char *call,
                               struct proact_grid *out);

/* The cluster size set for the kernel, if the launch gives none, and a check that the
   device supports it. */
enum cuda_error rt_cluster_settle(const struct cuda_kernel *k, struct proact_grid *grid);
/* True if the launch uses clusters of more than one CTA. */
bool rt_in_clusters(const struct cuda_kernel *k, const struct proact_grid *grid);

/* The cluster attributes of cudaFuncSetAttribute(). cudaErrorNotSupported for every other
   attribute. */
enum cuda_error rt_cluster_set(struct cuda_kernel *k, int attribute, int value);
/* The cluster size required by the kernel's code or by the program; all 0: none. */
const uint32_t *rt_cluster_required(const struct cuda_kernel *k);

/* Queues a launch. Each pointer in `args` addresses one argument. */
enum cuda_error rt_launch(struct rt *rt, struct cuda_kernel *k,
                          const struct proact_grid *grid, struct cuda_stream *stream,
                          void **args);
