/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Counting: the chunk lists of CTAs and the number of writers of each chunk. */

#include "transfer/table/transfer_table.h"

/* Fills the lists; the pieces of the device are complete. `visited`: scratch space with one
   entry per chunk of the device, of any content. */
void table_count(const struct transfer_table_request *r, struct transfer_table *t,
                 uint32_t device, uint32_t *visited);
