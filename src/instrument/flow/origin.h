/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Where the addresses in a kernel's registers come from. Whatever the control flow, all
   definitions of a register count, so that what is said holds wherever it is used. */

#include "instrument/instrument.h"

enum {
    ORIGIN_PARAMETER = 1, /* a 64-bit parameter that is no slot's pointer */
    ORIGIN_LOCAL = 2,     /* shared or local memory, or parameters */
    ORIGIN_MODULE = 4,    /* a variable of the module */
    ORIGIN_LOADED = 8,    /* read from memory, or given back by a function */
};

struct origin {
    bool is_known;                 /* some definition was seen */
    bool is_mixed;                 /* of several that differ: nothing can be said */
    uint8_t parts;                 /* ORIGIN_..., any of which it may be a sum of */
    int8_t slot[PROACT_SLOTS_MAX]; /* how often that slot's pointer is in the sum */
    int32_t parameter; /* it is the address of parameter bytes + this; else -1 */
};

/* By register of the function. */
struct origin *origin_find(const struct ptx_module *m, const struct ptx_function *f,
                           const struct instrument_request *r, struct arena *arena);

/* Of an instruction's memory operand. */
struct origin origin_of_memory(const struct ptx_module *m, const struct ptx_function *f,
                               const struct origin *by_register,
                               const struct ptx_operand *memory);

/* Nothing of an address is in it, as far as registers hold whole ones. */
bool origin_is_number(const struct origin *o);

/* The one slot into whose array an address points; -1 for none; -2 if that is not sure. */
int origin_slot(const struct origin *o);
