/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What one device is given of a launch, and what the launch counts for behind it. */

#include "runtime/launch/launching.h"

/* Whether the device has none of a split one's CTAs, and nothing else to do for it: it is
   left alone, and neither waits for anything nor is waited for. In a recording none is. */
bool partition_is_idle(const struct launching *l, unsigned device);
/* Of a split one: its CTAs, as one kernel or several; then that it is done with them; and
   what is sent beside or behind them. */
enum proact_status partition_launch(const struct launching *l, unsigned device,
                                    struct proact_error *err);
enum proact_status partition_done(const struct launching *l, unsigned device,
                                  struct proact_error *err);
enum proact_status partition_send(const struct launching *l, unsigned device,
                                  struct proact_error *err);

/* A kernel that is not split: the first device runs it, and what it may have written is
   brought to the others when they read it. */
enum proact_status launch_whole(const struct launching *l, struct proact_error *err);

/* `queued`: whole, on all devices. */
void launch_account(const struct launching *l, bool queued);

uint32_t launch_parameter_bytes(const struct launching *l);
/* Of arrays that are passed twice, only the first place counts; else NULL. */
struct proact_array *launch_array_at(const struct launching *l, size_t relocation);
bool launch_writes(const struct launching *l, const struct proact_array *a);
/* Whether what a device sends, it sends on that lane; to whom it sends what it writes of an
   array. */
bool launch_sends_on(const struct launching *l, unsigned device, enum transfer_lane lane);
uint32_t launch_receivers(const struct launching *l, unsigned device,
                          const struct proact_array *a);
