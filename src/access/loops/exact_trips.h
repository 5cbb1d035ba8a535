/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Exact trip counts. */

#include "access/bounds/facts.h"

/* Trip count common to all threads that enter the loop: a single condition on numbers of
   the launch ends it. False if unknown. */
bool exact_trips(struct facts *f, const struct access_analysis *a, uint32_t loop,
                 int64_t *out);
