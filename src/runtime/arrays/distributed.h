/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Distributed arrays (AMGE 3.1): there is one of each, in one range of addresses, of which
   every device has a part. What a CTA stores there it stores where it belongs, whoever runs
   it: no chunk, no piece and no replica has a byte of them. So nobody needs to know what is
   written where, and atomics have one place, whatever they give back; in clones they and
   fences are those of all devices. A launch that uses one comes after all that wrote to it,
   one that writes, after all that used it. */

#include "runtime/launch/launching.h"

/* Before a launch's kernel, and behind it. `at` runs CTAs of it. */
enum proact_status distributed_await(const struct launching *l, struct order_place at,
                                     const struct proact_array *a,
                                     struct proact_error *err);
void distributed_used(const struct launching *l);
