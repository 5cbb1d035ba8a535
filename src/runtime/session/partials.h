/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Partial results of reductions (access/shared_writes/reductions.h). Each device except
   device 0 applies its atomics to a private buffer of the replica's size. After its kernel
   the touched elements are combined with the replica of device 0. Each buffer then contains
   the neutral element again. Only the kernel stream of its device accesses a buffer, so it
   needs no other order.

   Combining reads the entire buffer, which for a large array costs as much as some remote
   atomics. Arrays above PARTIALS_ALWAYS_BYTES therefore have no partial results in launches
   with few threads, and neither do arrays without memory for them. Their atomics go to the
   replica of device 0. */

#include <proact/status.h>
#include <stdbool.h>
#include <stdint.h>

struct proact_array;

/* A GPU reads PARTIALS_ALWAYS_BYTES in about 5 us, and PARTIALS_A_THREAD elements in less
   time than one remote atomic takes. */
enum { PARTIALS_ALWAYS_BYTES = 16 << 20, PARTIALS_A_THREAD = 64 };

/* Prepares the buffers before a launch with `threads` threads over all devices and
   reductions of that kind. */
enum proact_status partials_ready(struct proact_array *a, uint32_t kind, uint64_t threads,
                                  struct proact_error *err);
bool partials_are_ready(const struct proact_array *a, uint32_t kind);

/* Distance from the replica of a device to its buffer. */
long long partials_home(const struct proact_array *a, unsigned device);

/* Called after the kernel of the device. */
enum proact_status partials_combine(const struct proact_array *a, unsigned device,
                                    struct proact_error *err);
void partials_drop(struct proact_array *a); /* nothing may be in flight */
