/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "instrument/flow/cycle.h"

/* Whether the loop goes on behind the block only while a number, which grows each time
   around, is less than another one: it ends at last, whatever that is. */
bool counts_up(const struct ptx_function *f, const struct ptx_flow *flow,
               const struct cycle *l, uint32_t block);
