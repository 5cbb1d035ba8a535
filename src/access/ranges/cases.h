/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Case distinctions: a symbol that equals one of a few simpler forms. */

#include "access/bounds/extent.h"

enum { CASES_MAX = 3, CASE_FACTS = 4 };

/* Cases of one symbol. In each case the symbol equals `is`, and `facts` hold. */
struct cases {
    uint32_t symbol, count;
    struct one_case {
        const struct access_form *is;
        struct fact facts[CASE_FACTS];
        uint32_t fact_count;
        struct access_way way;
    } each[CASES_MAX];
};

/* First symbol of the form with cases: a wrap-around, a choice, a quotient, and so on. */
bool cases_find(struct extent *e, const struct access_form *f, struct cases *c);
/* The first quotient that counts rows and whose first or last row is partial. In a partial
   row the quotient is a constant. */
bool cases_of_edges(struct extent *e, const struct access_form *f, struct cases *c);
