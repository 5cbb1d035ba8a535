/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Clusters of a launch: validation and numbering of their CTAs. */

#include "device/emulator/kernel/kernel_run.h"

/* Cluster of a launch for the requested one; all 0: no clusters. */
void cluster_of(const struct execute_kernel_info *k, const uint32_t requested[3],
                uint32_t out[3]);
/* Checks the cluster of a launch. PROACT_EINVAL: the message gives the reason. */
enum proact_status cluster_check(const struct device_set *set,
                                 const struct execute_kernel_info *k,
                                 const struct device_launch *l, struct proact_error *err);

/* Index of the n-th CTA of a launch in cluster order. */
void cluster_place(const struct kernel_run *run, uint32_t n, uint32_t id[3]);
