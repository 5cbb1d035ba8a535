/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "instrument/flow/cycle.h"

/* True if the loop continues after `block` only while a counter, which grows in every
   iteration, is less than another number. Such a loop ends for any value of that number. */
bool counts_up(const struct ptx_function *f, const struct ptx_flow *flow,
               const struct cycle *l, uint32_t block);
