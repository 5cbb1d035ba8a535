/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdint.h>

struct launching;

/* Separate ranges that one device writes if the grid is partitioned along `dimension` of
   the original grid. They are counted for one layer of CTAs, whose neighbours continue
   them. At most `most` + 1. */
uint64_t axis_ranges(const struct launching *l, unsigned dimension, uint64_t most);
