/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What a kernel stores that hangs on an address: several devices would each store their
   own, and whoever follows it, or compares it, takes it for one of the first device. */

#include "ptx/ptx.h"

struct stored_addresses {
    bool *hang;         /* by byte of the block: something such is made of it */
    uint32_t variables; /* the line of a variable's or function's address that is; or 0 */
};

struct stored_addresses stored_addresses_find(const struct ptx_module *m,
                                              const struct ptx_function *kernel);
/* The same of what it compares with words that it reads, which may be addresses. */
struct stored_addresses compared_addresses_find(const struct ptx_module *m,
                                                const struct ptx_function *kernel);
/* Whether a kernel computes with the place of a parameter. */
bool stored_address_computes_place(const struct ptx_function *f);
void stored_addresses_clear(struct stored_addresses *s);
