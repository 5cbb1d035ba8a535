/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A kernel under a plan whose launches launch kernels: its module once more, with those in
   it and what they call. */

#include "runtime/session/session.h"

/* Made and loaded when they are first needed, and brought up to date. */
enum proact_status kernel_children_ready(struct proact_kernel *k, struct proact_error *err);

/* Ahead of a replay, those that there are. */
enum proact_status kernel_children_follow(const struct proact_kernel *k,
                                          struct proact_error *err);

struct device_function *kernel_children_function(const struct proact_kernel *k,
                                                 unsigned device);

/* Nothing may be in flight. */
void kernel_children_drop(struct proact_kernel *k);
