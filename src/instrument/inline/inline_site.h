/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A call in whose place the function's body is put, and how what it is given gets there. */

#include "base/memory.h"
#include "base/text.h"
#include "instrument/edit.h"
#include "ptx/ptx.h"

/* What is handed over lies in registers, one for each place that is stored or loaded; where
   the two sides see different places, in memory of the thread. */
struct inline_value {
    int32_t outside, inside; /* symbols of the caller and of the called */
    bool is_memory, is_result;
    uint32_t number; /* among the arguments, or the results */
};

struct inline_site {
    const struct ptx_module *module;
    const struct ptx_function *caller, *called;
    const struct ptx_instruction *call;
    unsigned number; /* in the names of all that it declares */
    struct inline_value *values;
    uint32_t value_count;
};

/* The function that the instruction calls by name, if it is defined here; else -1. */
int32_t inline_called(const struct ptx_module *m, const struct ptx_function *f,
                      const struct ptx_instruction *i);

/* Moves shared memory that functions declare to the module; how many variables were moved.
 */
size_t inline_hoist(const struct ptx_module *m, struct edit_list *edits);

/* Whether the body may be put in place of some calls: its parameters are loaded and its
   results stored as they are, and what it declares may be declared once more. */
bool inline_is_plain(const struct ptx_function *f);

/* False where the call or what is stored for it is not of the usual shape. The values lie
   in `arena`. */
bool inline_find(struct inline_site *site, struct arena *arena);

/* Declares what the site hands over. */
void inline_declare(const struct inline_site *site, struct text *into);

/* If `i`, an instruction of `f` (the caller or the called), moves a value of the site: what
   stands in its place. */
bool inline_move(const struct inline_site *site, const struct ptx_function *f,
                 const struct ptx_instruction *i, struct text *into);

/* The body, in names of its own. */
void inline_body(const struct inline_site *site, struct text *into);
/* NAME as it is called there: %in3_r1 for %r1. */
void inline_name(const struct inline_site *site, const char *name, size_t bytes,
                 struct text *into);
