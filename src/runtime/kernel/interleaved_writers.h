/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Kernels whose CTAs come round a whole array, each of them, as loops over a grid's stride
   do, or down its columns: all chunks become complete when all CTAs end, nothing is gained
   by counting, and whoever comes last sends all there is. */

#include "runtime/launch/launching.h"

/* Finds whether the launch is of such a one under the session's plan, if nobody has asked
   for that: writes_interleaved of its kernel. What it writes has been found. */
void launch_check_interleaved(const struct launching *l);
