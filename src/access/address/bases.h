/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Which of an address's terms is the address, from which the others count. */

#include "access/values/study.h"

/* Kinds of symbols that have no value. */
enum {
    HOLDS_DATA = 1 << ACCESS_LOADED,
    HOLDS_OPAQUE = 1 << ACCESS_OPAQUE | 1 << ACCESS_PHI | 1 << ACCESS_BLOCK |
                   1 << ACCESS_MEMBER | 1 << ACCESS_ELEMENT
};

/* Start from the study alone, and close. */
struct bases {
    struct study *study;
    bool *is_pointer; /* by symbol: a parameter that some cvta takes for an address, or by
                         which alone some access goes */
    uint32_t symbol_count;
};
void bases_open(struct bases *b);
void bases_close(struct bases *b);

/* An access_base, or -1. */
int bases_kind(const struct access_symbol *y);
/* Whether the symbol is an address for sure, and no number. */
bool bases_marked(const struct bases *b, uint32_t symbol);
/* The one address among the terms, a symbol; -1 for none, -2 for several. */
int64_t bases_find(const struct bases *b, const struct access_form *f);
/* Whether some term is one of several forms, each of which has an address in it. */
bool bases_choose_address(const struct bases *b, const struct access_form *f);
/* Whether none of the other terms may be an address, whatever memory holds. */
bool bases_alone(const struct bases *b, const struct access_form *f);

/* Of an address whose base is not known, at an instruction's operand: what is left when the
   pointer that the kernel chose is taken off; NULL where that has no value, or where none
   was chosen. Sets the record's member, and what both assume. */
const struct access_form *bases_choose(const struct bases *b, struct access_record *r,
                                       const struct ptx_operand *at,
                                       const struct access_form *address);
