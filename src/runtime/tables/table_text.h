/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A kernel with tables as its last parameters, as text. */

#include "runtime/tables/address_tables.h"

/* As much as a parameter has for so many bytes of a table: so that a kernel has few forms.
 */
uint32_t table_round_up(uint32_t bytes);

/* `bytes`: of each table. NULL: they do not fit; else free() it. */
char *table_text(const struct proact_kernel *k, const struct address_tables *t,
                 const uint32_t *bytes, size_t *length);
