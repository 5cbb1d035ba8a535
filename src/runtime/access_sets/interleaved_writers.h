/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Interleaved writers: kernels in which each CTA writes across the entire array, such as a
   grid-stride loop or a column decomposition. All chunks complete when all CTAs end, so
   counting gains nothing, and the last CTA would send everything. */

#include <stdbool.h>
#include <stdint.h>

struct launching;

/* Whether the launch, whose write set is known, has interleaved writers of chunks of that
   size. */
bool launch_writes_interleaved(const struct launching *l, uint64_t chunk_bytes);
