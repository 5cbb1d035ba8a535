/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "instrument/flow/cycle.h"

/* Whether it hangs on what these loads in the loop read, by instruction, when the loop
   ends. It does not where that only chooses what is done on the way, nor where a number
   that goes up each time is compared with it: that gets there by itself. */
bool decides_end(const struct ptx_function *f, const struct ptx_flow *flow,
                 const struct cycle *l, const bool *loads, struct arena *arena);
