/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Clusters of a launch: whether they can be had, and which CTAs are in one. */

#include "device/emulator/kernel/kernel_run.h"

/* In which clusters the kernel is launched if these are asked for; all 0: in none. */
void cluster_of(const struct execute_kernel_info *k, const uint32_t requested[3],
                uint32_t out[3]);
/* PROACT_EINVAL says why not. */
enum proact_status cluster_check(const struct device_set *set,
                                 const struct execute_kernel_info *k,
                                 const struct device_launch *l, struct proact_error *err);

/* The n-th CTA of a launch, cluster by cluster. */
void cluster_place(const struct kernel_run *run, uint32_t n, uint32_t id[3]);
