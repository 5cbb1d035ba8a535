/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Between which values a form lies where a record's instruction is executed. */

#include "access/access.h"
#include "access/range.h"

/* At any thread of the launch that executes it; false if that is not known. Empty
   (high < low) where nobody does. */
bool extent_bound(const struct access_analysis *a, const struct access_record *r,
                  const struct access_form *form, const struct access_launch *l,
                  const int64_t *trips, struct range *out);
