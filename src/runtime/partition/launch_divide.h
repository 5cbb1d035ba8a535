/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Interior/boundary split (MAPS 4.3). If few CTAs of a partition send data, such as the
   edge of a stencil, they run as a second kernel concurrently with the interior. The
   interior counts nothing and waits for no other device, because it touches no range with a
   transfer in progress. Devices therefore wait for each other during their work, not
   between launches. */

#include "runtime/request/launching.h"

/* Selects the interiors of the partitions. The read set of the launch is known. */
void launch_divide(struct launching *l);
/* CTAs per plane of the grid: a plane, a row, or one CTA. */
uint32_t grid_plane_ctas(const struct launching *l);
/* Whether the tables permit an interior, also in a recording. Its kernels are loaded before
   any timed or recorded launch. */
bool launch_may_divide(const struct launching *l);

static inline bool launch_is_divided(const struct launching *l, unsigned device)
{
    return l->binding && l->inside[device].count;
}
