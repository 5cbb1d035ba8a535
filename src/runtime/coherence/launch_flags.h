/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Shared writes of a launch: writes whose bytes CTAs of several devices write, so that no
   device owns them. In every mechanism the kernel versions apply them directly to the
   device-0 replica. After the launch only that replica is current, and readers fetch from
   it. Chunks and pieces exclude these bytes. Each launch checks that no CTA reads them and
   that no other store goes there, so the order of equal stores has no effect.

   - idempotent stores (access/shared_writes/flags.h);
   - reductions (access/shared_writes/reductions.h), as system-scope atomics, or as partial
   results per device that are combined after the kernel (partials.h). If memory contents
   decide their addresses, they cover the entire array;
   - indirect stores (access/shared_writes/scatters.h), applied unchanged. */

#include <proact/status.h>

struct launching;
struct proact_partition;

/* Fetches the bytes of shared writes to device 0, since unwritten ones keep their
   values. */
enum proact_status idempotent_fetch(const struct launching *l, struct proact_error *err);
/* Orders the kernel of a device after all uses of the device-0 replica. */
enum proact_status flags_await(const struct launching *l, unsigned device,
                               struct proact_error *err);
/* Sets the addresses of partial results, and combines them after the kernel. */
void flags_partition(const struct launching *l, unsigned device,
                     struct proact_partition *partition);
enum proact_status flags_combine(const struct launching *l, unsigned device,
                                 struct proact_error *err);
/* Records the stores as transfers to device 0, and device 0 as the only current one. */
void flags_sent(const struct launching *l);
void flags_written(const struct launching *l);
