/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Changes to a piece of text, made all at once at the end: what nobody changed stays byte
   for byte. */

#include "base/text.h"
#include "ptx/ptx.h"

struct edit {
    uint32_t at, removed; /* in the module's text */
    char *added;          /* owned */
};

/* Start from zero. */
struct edit_list {
    struct edit *edit;
    size_t count, capacity;
};

/* What is added at one place stands in the order of the calls. */
__attribute__((format(printf, 3, 4))) void edit_replace(struct edit_list *l,
                                                        struct ptx_span span,
                                                        const char *format, ...);
__attribute__((format(printf, 3, 4))) void edit_insert(struct edit_list *l, uint32_t at,
                                                       const char *format, ...);

/* Adds the span of the module's text, changed, to `into`. */
void edit_print(struct edit_list *l, const struct ptx_module *m, struct ptx_span span,
                struct text *into);
/* The same, and each line stays the line that it is: what is added is in none of its own,
   up to the library's last words, behind which there is nothing. */
void edit_print_in_lines(struct edit_list *l, const struct ptx_module *m,
                         struct ptx_span span, struct text *into);
void edit_clear(struct edit_list *l);
