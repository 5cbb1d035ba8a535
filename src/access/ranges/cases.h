/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Forms that are one of few others, which are simpler. */

#include "access/bounds/extent.h"

enum { CASES_MAX = 3, CASE_FACTS = 4 };

/* A symbol taken to be one of few forms; then `facts` hold. */
struct cases {
    uint32_t symbol, count;
    struct one_case {
        const struct access_form *is;
        struct fact facts[CASE_FACTS];
        uint32_t fact_count;
        struct access_way way;
    } each[CASES_MAX];
};

/* The first symbol of the form that is such a one: what lies around an end, is chosen, ...
 */
bool cases_find(struct extent *e, const struct access_form *f, struct cases *c);
/* Else, the first quotient that counts rows, of which the first or the last is there in
   part: in these it is one number. */
bool cases_of_edges(struct extent *e, const struct access_form *f, struct cases *c);
