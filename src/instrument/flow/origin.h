/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Provenance of the addresses in a kernel's registers. The analysis is flow-insensitive: it
   joins all definitions of a register, so a result holds at every use. */

#include "instrument/instrument.h"

enum {
    ORIGIN_PARAMETER = 1, /* a 64-bit parameter that is not a slot's pointer */
    ORIGIN_LOCAL = 2,     /* shared memory, local memory or the parameter space */
    ORIGIN_MODULE = 4,    /* a variable of the module */
    ORIGIN_LOADED = 8,    /* loaded from memory, or returned by a function */
};

struct origin {
    bool is_known;                 /* at least one definition is known */
    bool is_mixed;                 /* joined from differing origins: the slots are
                                      unknown */
    uint8_t parts;                 /* ORIGIN_... bits: possible summands */
    int8_t slot[PROACT_SLOTS_MAX]; /* multiplicity of that slot's pointer in the sum */
    int32_t parameter; /* The address of the parameters plus this many bytes. -1: not such
                          an address. */
};

/* Origins by register of the function, allocated in `arena`. */
struct origin *origin_find(const struct ptx_module *m, const struct ptx_function *f,
                           const struct instrument_request *r, struct arena *arena);

/* Origin of the address in an instruction's memory operand. */
struct origin origin_of_memory(const struct ptx_module *m, const struct ptx_function *f,
                               const struct origin *by_register,
                               const struct ptx_operand *memory);

/* True if the value contains no address, given that registers hold only complete
   addresses. */
bool origin_is_number(const struct origin *o);

/* The only slot into whose array the address points. -1: no slot. -2: unknown. */
int origin_slot(const struct origin *o);
