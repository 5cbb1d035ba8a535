/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Control flow of the slice. A branch that decides nothing becomes a jump to the block
   where its sides meet. For a branch that memory decides, the slice executes both sides in
   sequence: the second side waits at the meeting block. */

#include "access/slice/slice.h"

/* Successor for an edge from `block` to `to`. An edge back to the head of a loop that
   executes once leads to the block after the loop instead. */
int32_t slice_away(const struct slice *s, uint32_t block, int32_t to);

/* Block where both sides of a branch meet. */
int32_t slice_meeting(const struct slice *s, uint32_t block);

/* The only successor of a block; SLICE_NONE if its branch is in the slice. */
int32_t slice_way(const struct slice *s, uint32_t block);

/* Both sides of a branch that memory decides; false if only `first` has work. */
bool slice_both_ways(const struct slice *s, uint32_t block, int32_t *first,
                     int32_t *second);

/* Whether the second side of `block` waits at `place`. */
bool slice_waits(const struct slice *s, uint32_t block, int32_t place);

/* Like slice_away(), skipping blocks without work. */
int32_t slice_settle(const struct slice *s, uint32_t block, int32_t to);
