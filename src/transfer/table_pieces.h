/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What a device owns, cut into what it sends to whom. */

#include "transfer/transfer_table.h"

/* The chunk that a byte lies in. */
uint64_t table_chunk_of(const struct transfer_table_request *r,
                        const struct transfer_table *t, uint64_t byte);
/* From what it owns; piece_first has room and is zero. */
void table_pieces_cut(const struct transfer_table_request *r, uint32_t device,
                      struct transfer_table *t);
