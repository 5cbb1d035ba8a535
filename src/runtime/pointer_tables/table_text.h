/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Text of a kernel version with tables as its last parameters. */

#include <stddef.h>
#include <stdint.h>

struct address_tables;
struct proact_kernel;

/* Parameter size for that many bytes of a table, rounded up to limit the number of
   versions. */
uint32_t table_round_up(uint32_t bytes);

/* `bytes`: by table. NULL: the parameters do not fit; otherwise the caller frees the
   text. */
char *table_text(const struct proact_kernel *k, const struct address_tables *t,
                 const uint32_t *bytes, size_t *length);
