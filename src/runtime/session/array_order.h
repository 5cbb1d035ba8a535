/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Order of an operation after the transfers of an array, and the record of its own. */

#include "runtime/objects/order.h"
#include "transfer/transfer.h"

/* Orders the next operation at `place` after the transfers into the replica there. If it
   writes to the array, also after the transfers out of that replica. */
enum proact_status array_await(struct proact *p, const struct proact_array *a,
                               struct order_place place, bool writes,
                               struct proact_error *err);
/* The same for transfers out of the replica only. */
enum proact_status array_await_departures(struct proact *p, const struct proact_array *a,
                                          struct order_place place,
                                          struct proact_error *err);
/* The same for a distributed array: after its writers; if it writes, also after its users.
 */
enum proact_status array_await_parts(struct proact *p, const struct proact_array *a,
                                     struct order_place place, bool writes,
                                     struct proact_error *err);
/* Records the use of a distributed array by the kernel stream of a device. */
void array_account_parts(struct proact_array *a, unsigned device, bool writes,
                         uint64_t sequence);
/* Adds to the traffic of a sender. */
void array_account(struct proact_array *a, unsigned device, uint64_t bytes,
                   uint64_t chunks);
/* Orders transfers from `place` into the replicas of `to` (a bit a device) after all uses
   of these replicas and of the sender's. `to` 0: no transfers. */
enum proact_status array_await_peers(struct proact *p, const struct proact_array *a,
                                     struct order_place place, uint32_t to,
                                     struct proact_error *err);
/* Records transfers. `sent`: the bytes; NULL: all. */
void array_account_sent(struct proact_array *a, unsigned from, uint32_t to,
                        enum transfer_lane lane, uint64_t sequence,
                        const struct transfer_table *sent);
