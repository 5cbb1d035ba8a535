/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Polynomials over symbols. Operations create forms in the arena. NULL denotes a form
   that is too large; an operation on NULL gives NULL. */

#include "access/access.h"

struct forms {
    struct arena *arena;
    struct access_symbol *symbols;
    uint32_t count;
    size_t capacity;
    uint32_t *table; /* open addressing: symbol index + 1 */
    uint32_t table_size;
};

void forms_clear(struct forms *s); /* frees neither the arena nor the symbols */

/* Index of the symbol equal to `y`; adds it if necessary. Sets `holds` and `nodes`. */
uint32_t form_symbol(struct forms *s, const struct access_symbol *y);

const struct access_form *form_constant(struct forms *s, int64_t value);
const struct access_form *form_of(struct forms *s, uint32_t symbol);
const struct access_form *form_make(struct forms *s, const struct access_symbol *y);
/* a + factor * b */
const struct access_form *form_add(struct forms *s, const struct access_form *a,
                                   const struct access_form *b, int64_t factor);
const struct access_form *form_multiply(struct forms *s, const struct access_form *a,
                                        const struct access_form *b);
/* The form divided by `divisor` if all factors are multiples of it, else NULL. */
const struct access_form *form_divide(struct forms *s, const struct access_form *a,
                                      int64_t divisor);

/* Set of 1 << kind of all symbols in a form. */
uint32_t form_holds(const struct forms *s, const struct access_form *a);

/* The form, or NULL if its expression tree has more than FORM_NODES_MAX symbols, repeated
   ones included. Traversals take that many steps. The limit stops hash functions: each
   round refers to the previous one several times, and 64 rounds would never end. */
enum { FORM_NODES_MAX = 256 };
const struct access_form *form_light(const struct forms *s, const struct access_form *a);

/* Substitution: `of` returns the form that replaces a symbol, or NULL to keep the
   symbol. */
typedef const struct access_form *form_map_function(void *context, uint32_t symbol);
const struct access_form *form_map(struct forms *s, const struct access_form *a,
                                   form_map_function *of, void *context);

/* Order of terms in a form, independent of their factors: negative, 0 or positive. */
int form_term_order(const struct access_term *a, const struct access_term *b);
bool form_equal(const struct access_form *a, const struct access_form *b);
bool form_is_constant(const struct access_form *a, int64_t *value);
/* Exponent of the largest power of two that divides every factor; 63 for the form 0. */
unsigned form_low_zeros(const struct access_form *a);
