/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Tables of numbers that a kernel loads and that decide where it writes (`p->stride`,
   `box[blockIdx.y].width`). They are handled like pointer tables, but without repeated
   waits. */

#include <stdbool.h>

struct address_tables;
struct proact_kernel;

/* Adds the tables that make the write set known or exact, and omits the others. */
void number_tables_add(struct address_tables *t, struct proact_kernel *k);

/* Whether any exist. */
bool number_tables_decide_writes(const struct address_tables *t);
