/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Numbers that a kernel reads in memory (`p->stride`, `box[blockIdx.y].width`), and that
   tell where it writes: tables as those of addresses are, but not waited for again and
   again. */

#include "runtime/tables/address_tables.h"

/* Adds those without which, and with all others, it would not be known where the kernel
   writes, or less well. */
void number_tables_add(struct address_tables *t, struct proact_kernel *k);

/* Whether there are any. */
bool number_tables_decide_writes(const struct address_tables *t);
