/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Edits of a text span, applied together when the span is printed. Text without an edit
   stays identical byte for byte. */

#include "base/text.h"
#include "ptx/ptx.h"

struct edit {
    uint32_t at, removed; /* positions in the module's text */
    char *added;          /* owned */
};

/* A list starts zeroed. */
struct edit_list {
    struct edit *edit;
    size_t count, capacity;
};

/* Insertions at one position appear in the order of the calls. */
__attribute__((format(printf, 3, 4))) void edit_replace(struct edit_list *l,
                                                        struct ptx_span span,
                                                        const char *format, ...);
__attribute__((format(printf, 3, 4))) void edit_insert(struct edit_list *l, uint32_t at,
                                                       const char *format, ...);

/* Appends the edited span of the module's text to `into`. */
void edit_print(struct edit_list *l, const struct ptx_module *m, struct ptx_span span,
                struct text *into);
/* Like edit_print(), but every line keeps its number: added text contains no newline. The
   epilogue is the exception, because no line follows it. */
void edit_print_in_lines(struct edit_list *l, const struct ptx_module *m,
                         struct ptx_span span, struct text *into);
void edit_clear(struct edit_list *l);
