/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Value intervals of forms, for all launches or for one. */

#include "access/access.h"

struct range {
    int64_t low, high;
};

/* Intervals of symbols, computed once. Pages are created on demand: a kernel has tens of
   thousands of symbols, and hundreds of thousands of queries concern few of them. */
enum { RANGE_PAGE = 32 };

struct range_page {
    struct range_found {
        struct range range;
        bool is_computed, is_known;
    } symbol[RANGE_PAGE];
};

struct range_view {
    const struct access_symbol *symbols;
    const struct access_launch *launch; /* NULL: any launch */
    const uint32_t *block;              /* of any launch: its block; NULL: any block */
    const int64_t *trips;               /* by loop: bound, -1: unknown; NULL: all unknown */
    struct range_page **found; /* pages of the cached symbols; launch and trips must not
                                  change then. NULL: no cache */
    uint32_t found_count;
    struct arena *arena; /* of the pages */
};

/* Enables the cache for the first `count` symbols, with pages in the arena. */
void range_keep(struct range_view *v, uint32_t count, struct arena *arena);

/* Interval of a form. False if it is unbounded or overflows 64 bits. */
bool range_of(const struct range_view *v, const struct access_form *f, struct range *out);

/* Interval of a + factor * b, without creating that form. */
bool range_of_sum(const struct range_view *v, const struct access_form *a,
                  const struct access_form *b, int64_t factor, struct range *out);

/* Whether the symbol has the same value for all threads, and that value. */
bool range_number(const struct range_view *v, uint32_t symbol, int64_t *out);

struct range range_of_type(unsigned bits, bool is_signed);
/* Interval of a function whose arguments lie in `a` and `b`, both within its type. */
struct range range_of_function(const struct access_symbol *y, struct range a,
                               struct range b);

/* Whether the form always lies in the range of `bits` bits. */
bool range_fits(const struct range_view *v, const struct access_form *f, unsigned bits,
                bool is_signed);

/* Number at byte `at` of the table to which an element belongs. */
bool range_element(const struct access_launch *l, const struct access_symbol *y, int64_t at,
                   int64_t *out);

/* Whether the host sets the symbol before the launch. */
static inline bool range_is_given(const struct access_symbol *y)
{
    return y->kind == ACCESS_PARAMETER || y->kind == ACCESS_CONSTANT;
}
/* Value of a parameter or constant field. False outside the parameter buffer, or if the
   constant is unknown. */
bool range_given(const struct access_launch *l, const struct access_symbol *y,
                 int64_t *out);
