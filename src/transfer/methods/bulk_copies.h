/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Copies of all that a launch wrote, shared by the bulk mechanisms. */

#include "transfer/transfer.h"

/* Queues the copies of one slot from `device` to one peer on the transfer stream of
   `device`. */
enum proact_status bulk_copy_slot(const struct transfer_binding *b, unsigned device,
                                  unsigned peer, uint32_t slot, struct proact_error *err);
