/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Work of one device in a launch, and its bookkeeping. */

#include "transfer/transfer.h"

struct launching;

/* Whether the device has no CTAs and no other work in the split launch. Such a device
   neither waits nor is waited for. In a recording every device takes part. */
bool partition_is_idle(const struct launching *l, unsigned device);
/* Steps of a split launch on one device: the kernels for its CTAs, the record of their end,
   and the transfers during and after them. */
enum proact_status partition_launch(const struct launching *l, unsigned device,
                                    struct proact_error *err);
enum proact_status partition_done(const struct launching *l, unsigned device,
                                  struct proact_error *err);
enum proact_status partition_send(const struct launching *l, unsigned device,
                                  struct proact_error *err);

/* Single-device launch on device 0. Other devices fetch its output when they read it. */
enum proact_status launch_whole(const struct launching *l, struct proact_error *err);

/* `queued`: the launch was queued completely on all devices. */
void launch_account(const struct launching *l, bool queued);

uint32_t launch_parameter_bytes(const struct launching *l);
/* Array of a relocation; NULL: an earlier relocation has the same array. */
struct proact_array *launch_array_at(const struct launching *l, size_t relocation);
bool launch_writes(const struct launching *l, const struct proact_array *a);
/* Devices, as a bit mask, to which the device sends what it writes to a slot, from that
   stream. */
uint32_t launch_receivers(const struct launching *l, unsigned device,
                          enum transfer_lane lane, unsigned slot);
