/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Peers of stores (PROACT III-C, inline): which peers need the stores of each CTA. */

#include "transfer/table/transfer_table.h"

/* Fills store_peers and what depends on it; the pieces of the device are complete. A store
   to a peer that is not needed costs time only: the table may claim more. */
void table_stores(const struct transfer_table_request *r, struct transfer_table *t,
                  uint32_t device);
