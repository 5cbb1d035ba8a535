/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "access/bounds/extent.h"

/* Trip count of a loop that has ended when the record's instruction executes, if all
   threads agree. may_pass: some threads may have skipped the loop, with 0 trips. False if
   unknown. */
bool ended_loop_trips(struct extent *e, uint32_t loop, int64_t *trips, bool *may_pass);
