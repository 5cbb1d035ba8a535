/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Which CTAs count in which chunks. */

#include "transfer/table/transfer_table.h"

/* The device's pieces are cut. `visited`: for each of its chunks a number, anything. */
void table_count(const struct transfer_table_request *r, struct transfer_table *t,
                 uint32_t device, uint32_t *visited);
