/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "access/bounds/extent.h"

/* How often a loop that is not around the record has gone around where the record's
   instruction is executed, in all threads alike; or, if it may have been passed by, 0
   times. False where that is not known. */
bool ended_loop_trips(struct extent *e, uint32_t loop, int64_t *trips, bool *may_pass);
