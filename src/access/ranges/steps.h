/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Monotonic step functions of a form: divisions, shifts, upper halves of products, and
   masks of upper bits. An example is x / 1000, which compilers write as mulhi(x, 274877907)
   >> 6. */

#include "access/bounds/extent.h"

enum { STEPS_DEPTH = 6 };

struct steps {
    const struct access_form *base; /* innermost argument and its bounds */
    struct range range;
    uint32_t count;
    struct step_op { /* outermost first; each applies to factor * the next result + plus */
        enum access_function function;
        bool is_signed;
        uint8_t bits;
        int64_t right, factor, plus;
    } ops[STEPS_DEPTH];
};

/* False if the symbol is no such function in this context. */
bool steps_open(struct steps *s, struct extent *e, const struct access_symbol *y);
/* Value at a base in the range. */
int64_t steps_value(const struct steps *s, int64_t base);
/* Smallest larger base with another value; range.high + 1 if there is none. */
int64_t steps_next(const struct steps *s, int64_t base);
/* Smallest base of the range with the same value. */
int64_t steps_begin(const struct steps *s, int64_t base);
/* Whether the value changes just below the range, or just above it. */
bool steps_starts(const struct steps *s);
bool steps_ends(const struct steps *s);
