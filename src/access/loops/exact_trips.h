/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* How often each thread that enters a loop goes around in it. */

#include "access/bounds/facts.h"

/* Of all threads alike, as only one condition ends it, which numbers of the launch decide;
   false where that is not known. */
bool exact_trips(struct facts *f, const struct access_analysis *a, uint32_t loop,
                 int64_t *out);
