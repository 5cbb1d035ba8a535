/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* One call site: the body of the called function replaces the call, and its arguments and
   results move to registers. */

#include "base/memory.h"
#include "base/text.h"
#include "instrument/edit.h"
#include "ptx/ptx.h"

/* An argument or a result, in registers: one for each location that is stored or loaded. If
   caller and callee use different locations, it is in local memory. */
struct inline_value {
    int32_t outside, inside; /* symbols of the caller and of the callee */
    bool is_memory, is_result;
    uint32_t number; /* index among the arguments, or among the results */
};

struct inline_site {
    const struct ptx_module *module;
    const struct ptx_function *caller, *called;
    const struct ptx_instruction *call;
    unsigned number; /* part of the names of all that the site declares */
    struct inline_value *values;
    uint32_t value_count;
};

/* Index of the function that the instruction calls by name and that this module defines.
   -1: none. */
int32_t inline_called(const struct ptx_module *m, const struct ptx_function *f,
                      const struct ptx_instruction *i);

/* Moves .global and .const variables of functions to module scope
   (function_variables.c). */
bool function_variables_move(const struct ptx_module *m, struct edit_list *edits);

/* Moves the shared memory that functions declare to module scope. Returns the number of
   variables moved. */
size_t inline_hoist(const struct ptx_module *m, struct edit_list *edits);

/* True if the body can replace calls: parameters are only loaded, results are only stored,
   and every declaration may be repeated. */
bool inline_is_plain(const struct ptx_function *f);

/* Fills the values of the site, which are allocated in `arena`. Returns false if the call
   or its argument stores do not have the usual form. */
bool inline_find(struct inline_site *site, struct arena *arena);

/* Prints the declarations for the values of the site. */
void inline_declare(const struct inline_site *site, struct text *into);

/* If `i`, an instruction of the caller or the callee `f`, moves a value of the site, prints
   its replacement and returns true. */
bool inline_move(const struct inline_site *site, const struct ptx_function *f,
                 const struct ptx_instruction *i, struct text *into);

/* Prints the body with its names made unique. */
void inline_body(const struct inline_site *site, struct text *into);
/* Prints the unique form of NAME: %in3_r1 for %r1. */
void inline_name(const struct inline_site *site, const char *name, size_t bytes,
                 struct text *into);
