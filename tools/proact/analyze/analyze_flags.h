/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Idempotent stores: stores of the same value by all CTAs, which do not prevent a split. */

#include "analyze/analyze_launch.h"

/* For a kernel with reductions, whose write set excludes these and its idempotent stores.
   If nothing else in the launch accesses their arrays, the launch is split, and `flags`
   contains their bytes. */
void analyze_reductions_check(struct analyze_launch *l, const struct analyze_kernel *k,
                              const struct analyze_request *q,
                              const struct write_set_launch *launch);

/* For CTAs of two devices that write the same byte: repeats the analysis without the
   idempotent stores. If the launch can then be split over all devices, its write set
   excludes them, and `flags` contains their bytes. Otherwise the launch stays unchanged. */
void analyze_flags_try(struct analyze_launch *l, const struct analyze_kernel *k,
                       const struct analyze_request *q,
                       const struct write_set_launch *launch);
