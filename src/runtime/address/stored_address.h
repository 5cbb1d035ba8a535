/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What a kernel stores that hangs on an address: several devices would each store their
   own, and whoever follows it, or compares it, takes it for one of the first device. */

#include "runtime/address/look_up.h"

struct stored_addresses {
    bool *hang;         /* by byte of the block: something such is made of it */
    uint32_t variables; /* the line of a variable's or function's address that is; or 0 */
};

/* `look_ups`: by instruction, NULL where nothing is known of them. */
struct stored_addresses stored_addresses_find(const struct ptx_module *m,
                                              const struct ptx_function *kernel,
                                              const struct look_up *look_ups);
/* The same of what it compares with words that it reads, which may be addresses. */
struct stored_addresses compared_addresses_find(const struct ptx_module *m,
                                                const struct ptx_function *kernel,
                                                const struct look_up *look_ups);
/* By byte of the block, free() it: whether it is of a parameter with whose place the kernel
   computes, as with that of a struct with a table in it. */
bool *stored_address_offsets(const struct ptx_function *f);
void stored_addresses_clear(struct stored_addresses *s);
