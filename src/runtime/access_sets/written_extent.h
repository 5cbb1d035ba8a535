/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Extent of the bytes that a CTA writes. CTAs whose extents overlap complete the chunks in
   them together. */

#include <stdint.h>

#include "plan/problem.h"

struct cta_runs;

/* Averages over the CTAs. `cta_first`: partition boundaries of `devices` devices. */
struct plan_extent written_extent(const struct cta_runs *runs, const uint32_t *cta_first,
                                  unsigned devices);
/* Copies of what CTAs `first` to `end` - 1 write, with equal ranges at a constant distance
   as one. */
size_t written_copies(const struct cta_runs *runs, uint32_t first, uint32_t end);
