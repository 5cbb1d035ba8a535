/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Bytes of an array that one device reads: comparison, union and digest. */

#include "transfer/transfer.h"

/* Digest of the ranges, never 0. */
uint64_t need_digest(const struct transfer_need *n);
/* Whether two needs of one array differ. */
bool need_differs(const struct transfer_need *a, const struct transfer_need *b);
void need_join(struct transfer_need *into, const struct transfer_need *of);
void need_clear(struct transfer_need *n);
