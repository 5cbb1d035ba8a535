/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Distributed arrays (AMGE 3.1): one copy at one range of addresses, with a partition on
   each device. A CTA stores directly to the owning device, so no chunk, piece or replica
   contains these bytes. The write set of a kernel is irrelevant there, and atomics of any
   kind have one location; kernel versions give them and the fences system scope. A launch
   that uses the array follows all its writers; a writer also follows all its users. */

#include <proact/status.h>

#include "runtime/objects/order.h"

struct launching;
struct proact_array;

/* Called before the kernels of a launch, and after them. `at` is the stream that runs the
   CTAs. */
enum proact_status distributed_await(const struct launching *l, struct order_place at,
                                     const struct proact_array *a,
                                     struct proact_error *err);
void distributed_used(const struct launching *l);
