/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Pieces: the bytes that a device owns, partitioned by chunk and by set of peers. */

#include "transfer/table/transfer_table.h"

/* Chunk that contains a byte. */
uint64_t table_chunk_of(const struct transfer_table_request *r,
                        const struct transfer_table *t, uint64_t byte);
/* First and end byte of a chunk; the end of the last one may exceed the array. */
uint64_t table_chunk_first(const struct transfer_table_request *r,
                           const struct transfer_table *t, uint64_t chunk);
uint64_t table_chunk_end(const struct transfer_table_request *r,
                         const struct transfer_table *t, uint64_t chunk);
/* Fills the pieces of one device. The tables of all devices know their owned bytes;
   piece_first is allocated and zero. */
void table_pieces_cut(const struct transfer_table_request *r, struct transfer_table *tables,
                      uint32_t device);
