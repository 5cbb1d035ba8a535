/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Order of an operation after the transfers of an array, and the record of its own. */

#include "runtime/objects/order.h"
#include "transfer/transfer.h"

/* The operation that is about to be queued on `relocation` (it will write the array if
   `writes`) comes after all that was sent into the replica there, and out of it. */
enum proact_status array_await(struct proact *p, const struct proact_array *a,
                               struct order_place relocation, bool writes,
                               struct proact_error *err);
/* The same, for all that was sent out of it alone. */
enum proact_status array_await_departures(struct proact *p, const struct proact_array *a,
                                          struct order_place relocation,
                                          struct proact_error *err);
/* The same, of a distributed array: after all that wrote to it, or that used it. */
enum proact_status array_await_parts(struct proact *p, const struct proact_array *a,
                                     struct order_place relocation, bool writes,
                                     struct proact_error *err);
/* What lane MAIN of a device did with one. */
void array_account_parts(struct proact_array *a, unsigned device, bool writes,
                         uint64_t sequence);
/* What one device sent of an array. */
void array_account(struct proact_array *a, unsigned device, uint64_t bytes,
                   uint64_t chunks);
/* What `relocation` is about to send into the replicas of `to`, a bit a device, comes after
   all that was done with them and with the one that it is sent from; `to` 0: it sends
   nothing.
 */
enum proact_status array_await_peers(struct proact *p, const struct proact_array *a,
                                     struct order_place relocation, uint32_t to,
                                     struct proact_error *err);
/* `sent`: what; NULL: anything. */
void array_account_sent(struct proact_array *a, unsigned from, uint32_t to,
                        enum transfer_lane lane, uint64_t sequence,
                        const struct transfer_table *sent);
