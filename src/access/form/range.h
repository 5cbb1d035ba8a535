/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Between which values a form lies: for every launch, or for one. */

#include "access/access.h"

struct range {
    int64_t low, high;
};

/* What was found of symbols, once for each. Kernels have tens of thousands of them, and
   questions by the hundred thousand concern a few: a page of them is made when one is asked
   for. */
enum { RANGE_PAGE = 32 };

struct range_page {
    struct range_found {
        struct range range;
        bool is_computed, is_known;
    } symbol[RANGE_PAGE];
};

struct range_view {
    const struct access_symbol *symbols;
    const struct access_launch *launch; /* NULL: any */
    const int64_t *trips; /* by loop: iterations at most, -1 unknown; NULL: none is known */
    struct range_page **found; /* of the first so many symbols; launch and trips then stay
                                  as they are. NULL: nothing is kept */
    uint32_t found_count;
    struct arena *arena; /* of pages */
};

/* From then on the view keeps what it finds of its first `count` symbols, in the arena. */
void range_keep(struct range_view *v, uint32_t count, struct arena *arena);

/* False if it may be anything, or overflows 64 bits. */
bool range_of(const struct range_view *v, const struct access_form *f, struct range *out);

/* Of a + factor * b, as if that were made. */
bool range_of_sum(const struct range_view *v, const struct access_form *a,
                  const struct access_form *b, int64_t factor, struct range *out);

/* Whether the symbol is one number for all threads, and which. */
bool range_number(const struct range_view *v, uint32_t symbol, int64_t *out);

struct range range_of_type(unsigned bits, bool is_signed);
/* Of a function whose arguments lie in `a` and `b`, both within its type. */
struct range range_of_function(const struct access_symbol *y, struct range a,
                               struct range b);

/* Whether the form surely lies in the range of `bits` bits. */
bool range_fits(const struct range_view *v, const struct access_form *f, unsigned bits,
                bool is_signed);

/* Of the table that an element is of: the number at that byte of it. */
bool range_element(const struct access_launch *l, const struct access_symbol *y, int64_t at,
                   int64_t *out);

/* A number that the host has put there before the launch. */
static inline bool range_is_given(const struct access_symbol *y)
{
    return y->kind == ACCESS_PARAMETER || y->kind == ACCESS_CONSTANT;
}
/* Its value: of a field of the parameter block, or of a constant; false beyond the block's
   end, or where the constant is not known. */
bool range_given(const struct access_launch *l, const struct access_symbol *y,
                 int64_t *out);
