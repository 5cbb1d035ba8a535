/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What a device owns, cut into what it sends to whom. */

#include "transfer/table/transfer_table.h"

/* The chunk that a byte lies in. */
uint64_t table_chunk_of(const struct transfer_table_request *r,
                        const struct transfer_table *t, uint64_t byte);
/* Where a chunk begins, and ends: the last one maybe behind the array. */
uint64_t table_chunk_first(const struct transfer_table_request *r,
                           const struct transfer_table *t, uint64_t chunk);
uint64_t table_chunk_end(const struct transfer_table_request *r,
                         const struct transfer_table *t, uint64_t chunk);
/* The tables of all devices know what these own; of this one piece_first has room and is
   zero. */
void table_pieces_cut(const struct transfer_table_request *r, struct transfer_table *tables,
                      uint32_t device);
