/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Stored values that depend on an address. Each device would store a different value, and a
   later reader takes it for a device-0 address. */

#include <stdbool.h>
#include <stdint.h>

struct look_up;
struct ptx_function;
struct ptx_module;

struct stored_addresses {
    bool *hang;         /* by byte of the parameter buffer: a stored value depends on it */
    uint32_t variables; /* line at which the address of a variable or function is stored; 0:
                           none */
    bool *symbols;      /* by symbol of the module: a stored value depends on its address */
};

/* Dependencies of stored values. `look_ups`: by instruction; NULL: not known. */
struct stored_addresses stored_addresses_find(const struct ptx_module *m,
                                              const struct ptx_function *kernel,
                                              const struct look_up *look_ups);
/* The same for values that are compared with loaded words, which may be addresses. */
struct stored_addresses compared_addresses_find(const struct ptx_module *m,
                                                const struct ptx_function *kernel,
                                                const struct look_up *look_ups);
/* The same for all values by which an address may leave the function: stores to any memory,
   arguments of calls, and results. */
struct stored_addresses leaving_addresses_find(const struct ptx_module *m,
                                               const struct ptx_function *f);
/* By byte of the parameter buffer: whether the kernel computes with the address of the
   parameter itself, such as a struct that contains a table. The caller frees it. */
bool *stored_address_offsets(const struct ptx_function *f);
void stored_addresses_clear(struct stored_addresses *s);
