/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Where few CTAs of a device send anything, as the borders of a stencil, they are a kernel
   of their own, its edges, beside that of all others, the inside. That one counts nothing,
   and waits for no other device: what is on its way while it runs, it neither reads nor
   writes. So devices wait for each other while they work, not in between. */

#include "runtime/launch/launching.h"

/* Finds the insides of shares that are launched so, if there are any. What the launch reads
   was found. */
void launch_divide(struct launching *l);
/* CTAs of a slice of the grid: a plane, a row, or one. */
uint32_t grid_plane_ctas(const struct launching *l);
/* Whether it might, as its tables are, also in a recording: kernels are loaded ahead of
   what may be timed or recorded. */
bool launch_may_divide(const struct launching *l);

static inline bool launch_is_divided(const struct launching *l, unsigned device)
{
    return l->binding && l->inside[device].count;
}
