/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Partial results of reductions (access/merged/reductions.h): each device but the first
   makes its atomics in memory of its own, beside its replica, as large as that. Behind its
   kernel what is there is combined with the first device's replica, each element that was
   touched once; then the memory holds the neutral element again, everywhere, and is ready
   for the next launch. Nobody else has to do with it: it takes no order but that of lane
   MAIN there.

   All of them are looked through then, which costs as much as a few atomics on the way
   over a link where the array is large: one of more than PARTIALS_ALWAYS_BYTES has none if
   the launch has few threads for it, and neither has one for which there is no memory. Its
   reductions are made in the first device's replica. */

#include "runtime/session/session.h"

/* A GPU reads that much in some 5 us; and so many elements in less time than it makes one
   atomic in another one's memory. */
enum { PARTIALS_ALWAYS_BYTES = 16 << 20, PARTIALS_A_THREAD = 64 };

/* Ahead of a launch of so many threads, of all devices, that has reductions of
   that kind, where there may be partials. */
enum proact_status partials_ready(struct proact_array *a, uint32_t kind, uint64_t threads,
                                  struct proact_error *err);
bool partials_are_ready(const struct proact_array *a, uint32_t kind);

/* How far from its replica a device has them. */
long long partials_home(const struct proact_array *a, unsigned device);

/* Behind its kernel. */
enum proact_status partials_combine(const struct proact_array *a, unsigned device,
                                    struct proact_error *err);
void partials_drop(struct proact_array *a); /* nothing is in flight */
