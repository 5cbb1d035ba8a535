/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Partial launch: a single-device launch that touches part of its arrays, such as a source
   term or a probe. Only its read and written ranges are fetched to device 0; the rest of
   each array stays on its devices. */

#include <proact/status.h>

struct launching;
struct write_set;

/* Limit of ranges per array. Above it, the gaps count as touched. */
enum { PARTIAL_RANGES_MAX = 256 };

/* Fetches the touched ranges and returns the written ones in `out`. Sets `out` to NULL, and
   fetches nothing, if they are unknown, too slow to compute, or all current on device 0
   only. */
enum proact_status partial_fetch(struct launching *l, const struct write_set **out,
                                 struct proact_error *err);
void partial_written(const struct launching *l, const struct write_set *w);
