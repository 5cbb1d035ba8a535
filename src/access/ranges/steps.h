/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A symbol that only grows with what it is made of, and in steps: quotients, as divisions,
   shifts, products of which the upper half is kept, and masks of upper bits make them.
   x / 1000 is mulhi(x, 274877907) >> 6, as compilers have it. */

#include "access/bounds/extent.h"

enum { STEPS_DEPTH = 6 };

struct steps {
    const struct access_form *base; /* what it is made of, and where that lies */
    struct range range;
    uint32_t count;
    struct step_op { /* the first one is applied last, to factor * what is below + plus */
        enum access_function function;
        bool is_signed;
        uint8_t bits;
        int64_t right, factor, plus;
    } ops[STEPS_DEPTH];
};

/* False where the symbol is none, in that extent. */
bool steps_open(struct steps *s, struct extent *e, const struct access_symbol *y);
/* At a value of the base in its range. */
int64_t steps_value(const struct steps *s, int64_t base);
/* The next value of the base at which it is another; behind the range where there is none.
 */
int64_t steps_next(const struct steps *s, int64_t base);
/* The first value of the base in its range at which it is the same. */
int64_t steps_begin(const struct steps *s, int64_t base);
/* Whether it was another one below the range, and is another one above. */
bool steps_starts(const struct steps *s);
bool steps_ends(const struct steps *s);
