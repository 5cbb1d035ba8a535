/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Arrays of a launch shape with which a plan was launched. A recording needs tables that an
   earlier launch has made, so a launch under another plan prepares those of recordings
   first, once for its arrays. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct launching;
struct transfer_plan;

struct prepared_arrays {
    uint64_t *digest;             /* of the arrays and the partition of a launch */
    size_t count, capacity, next; /* next: expected at the next launch */
    uint64_t drops;               /* of the kernel's bindings, before these digests */
};

/* Whether the tables exist for the arrays of the launch. Arrays that recur in one order,
   such as two in turn, take one comparison; new ones take a search of the bindings. */
bool prepared_arrays_have(struct prepared_arrays *a, const struct launching *l,
                          const struct transfer_plan *plan);
void prepared_arrays_clear(struct prepared_arrays *a);
