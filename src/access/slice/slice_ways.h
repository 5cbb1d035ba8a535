/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Where control goes in the slice. A branch that decides nothing becomes a jump to where
   its ways meet again. Of one that memory decides, both ways are gone one after the other:
   the second one *waits* at the place where they meet. */

#include "access/slice/slice.h"

/* From `block` to `to`, but never back to the head of a loop that runs once: then to what
   follows that loop. */
int32_t slice_away(const struct slice *s, uint32_t block, int32_t to);

/* Where the two ways of a branch meet. */
int32_t slice_meeting(const struct slice *s, uint32_t block);

/* The one way on from a block, or SLICE_NONE where it has a branch of the slice. */
int32_t slice_way(const struct slice *s, uint32_t block);

/* Both ways of a branch that memory decides: false if only `first` need be gone. */
bool slice_both_ways(const struct slice *s, uint32_t block, int32_t *first,
                     int32_t *second);

/* Whether the second way of `block` waits at `place`. */
bool slice_waits(const struct slice *s, uint32_t block, int32_t place);

/* slice_away(), and on over blocks that have nothing to do. */
int32_t slice_settle(const struct slice *s, uint32_t block, int32_t to);
