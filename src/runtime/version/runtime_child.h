/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Modules for plans whose kernels launch kernels (PROACT III-C, dynamic): the module of the
   kernel with the child kernels and their callees. */

#include <proact/status.h>

struct proact_kernel;

/* Creates and loads them on first use, and updates their variables. */
enum proact_status kernel_children_ready(struct proact_kernel *k, struct proact_error *err);

/* Updates the variables of existing modules before a replay. */
enum proact_status kernel_children_follow(const struct proact_kernel *k,
                                          struct proact_error *err);

struct device_function *kernel_children_function(const struct proact_kernel *k,
                                                 unsigned device);

/* No launch may be in flight. */
void kernel_children_drop(struct proact_kernel *k);

/* Called before the slots of a kernel change: waits for the devices, then drops its
   bindings and versions. Fails with PROACT_ETIMEOUT if a kernel waits for the host. */
enum proact_status kernel_slots_change(struct proact_kernel *k, struct proact_error *err);
