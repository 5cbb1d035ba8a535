/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Binding of a launch. */

#include <proact/status.h>
#include <stdbool.h>

struct kernel_binding;
struct launching;
struct transfer_plan;

/* Binding of the launch, created at the first launch of its shape under its plan. In a
   recording an earlier launch of the shape must exist, under any plan. */
enum proact_status kernel_binding_find(struct launching *l, struct proact_error *err);

/* Whether two plans are equal. */
bool plans_are_same(const struct transfer_plan *a, const struct transfer_plan *b);

/* Binding of the last launch of this shape under any plan; NULL: none. */
const struct kernel_binding *kernel_binding_latest(const struct launching *l);
/* Binding of the last launch with this grid and write set, on any arrays of these sizes.
   Only bindings that were used at least `launches` times again count, which send what their
   readers need. NULL: none. */
const struct kernel_binding *kernel_binding_settled(const struct launching *l,
                                                    unsigned launches);
