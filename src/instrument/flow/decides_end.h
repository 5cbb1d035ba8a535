/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "instrument/flow/cycle.h"

/* True if the end of the loop depends on the values that `loads` (by instruction) read.
   Values that only select work within an iteration do not count, nor does a growing counter
   that is compared with such a value: that loop ends by itself. */
bool decides_end(const struct ptx_function *f, const struct ptx_flow *flow,
                 const struct cycle *l, const bool *loads, struct arena *arena);
