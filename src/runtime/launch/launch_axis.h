/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A launch that is split along another dimension than its grid's slowest is one of another
   kernel, in which two dimensions have changed names (instrument/interchange.c), with a
   grid in which these have changed places. To all that splits it that is a kernel like any
   other. Where one device runs it all, the kernel is launched as it is. */

#include "runtime/launch/interchanged_shape.h"
#include "runtime/launch/launching.h"

/* The shape of a launch that may be turned; NULL: it is none. */
struct interchanged_shape *launch_shape(const struct launching *l);
/* The launch becomes one that is split along the dimension, whatever was found out about it
   before; false where there is no such kernel: it stays as it is. */
bool launch_axis_set(struct launching *l, unsigned dimension);
/* As its shape says. */
void launch_axis_select(struct launching *l);
/* One that cannot be split so becomes what it was, for good; false where it is not turned.
 */
bool launch_axis_reset(struct launching *l);

/* What is asked of the kernel's last launch is asked of this one. */
void launch_is_last(const struct launching *l);

/* The grid as the program has it. */
void launch_grid(const struct launching *l, uint32_t grid[3]);
