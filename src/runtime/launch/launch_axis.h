/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Partition axis. A launch that is split along another dimension than its slowest one uses
   a version of the kernel with two dimensions interchanged (instrument/interchange.c) and
   an interchanged grid. Later steps treat it like any other kernel. A single-device launch
   uses the original kernel. */

#include <stdbool.h>
#include <stdint.h>

struct launching;

/* Shape of a launch whose partition axis may change; NULL: it may not. */
struct interchanged_shape *launch_shape(const struct launching *l);
/* Replaces the kernel and the grid so that `dimension` is the partition axis, and discards
   all earlier results for the launch. Returns false, without a change, if no such version
   exists. */
bool launch_axis_set(struct launching *l, unsigned dimension);
/* Applies the partition axis of the launch's shape. */
void launch_axis_select(struct launching *l);
/* Restores the original kernel, and rejects this axis for the shape, after a failed split.
   Returns false if the launch is not interchanged. */
bool launch_axis_reset(struct launching *l);

/* Directs queries about the kernel's last launch to this one. */
void launch_is_last(const struct launching *l);

/* The original grid. */
void launch_grid(const struct launching *l, uint32_t grid[3]);
