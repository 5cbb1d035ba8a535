/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Polynomials over symbols. Operations make new forms in the arena; NULL stands for one
   that grew too large, and every operation on NULL gives NULL. */

#include "access/access.h"

struct forms {
    struct arena *arena;
    struct access_symbol *symbols;
    uint32_t count;
    size_t capacity;
    uint32_t *table; /* of symbol indices + 1, open addressing */
    uint32_t table_size;
};

void forms_clear(struct forms *s); /* not the arena, not the symbols */

/* Index of the symbol equal to `y`, which is added if need be; `holds` and `nodes` are
   filled in. */
uint32_t form_symbol(struct forms *s, const struct access_symbol *y);

const struct access_form *form_constant(struct forms *s, int64_t value);
const struct access_form *form_of(struct forms *s, uint32_t symbol);
const struct access_form *form_make(struct forms *s, const struct access_symbol *y);
/* a + factor * b */
const struct access_form *form_add(struct forms *s, const struct access_form *a,
                                   const struct access_form *b, int64_t factor);
const struct access_form *form_multiply(struct forms *s, const struct access_form *a,
                                        const struct access_form *b);
/* All factors are multiples of `divisor`: the form divided by it, else NULL. */
const struct access_form *form_divide(struct forms *s, const struct access_form *a,
                                      int64_t divisor);

/* 1 << kind of all symbols in a form. */
uint32_t form_holds(const struct forms *s, const struct access_form *a);

/* The form, or NULL where it is made of more symbols than that, each counted as often as it
   is named: whoever follows them down takes so many steps. Each round of a hash names the
   one before it several times, so that 64 of them are more than ever come to an end. */
enum { FORM_NODES_MAX = 256 };
const struct access_form *form_light(const struct forms *s, const struct access_form *a);

/* Replaces symbols: `of` gives a form for a symbol, or NULL to keep it. */
typedef const struct access_form *form_map_function(void *context, uint32_t symbol);
const struct access_form *form_map(struct forms *s, const struct access_form *a,
                                   form_map_function *of, void *context);

/* Negative, 0 or positive: in which order terms stand in a form, whatever their factors. */
int form_term_order(const struct access_term *a, const struct access_term *b);
bool form_equal(const struct access_form *a, const struct access_form *b);
bool form_is_constant(const struct access_form *a, int64_t *value);
/* The power of two that divides every factor; 0 has 63. */
unsigned form_low_zeros(const struct access_form *a);
