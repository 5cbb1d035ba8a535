/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Base of an address: the term of the form that is a pointer. The other terms are the byte
   offset. */

#include "access/values/study.h"

/* Kinds of symbols without a value. */
enum {
    HOLDS_DATA = 1 << ACCESS_LOADED,
    HOLDS_OPAQUE = 1 << ACCESS_OPAQUE | 1 << ACCESS_PHI | 1 << ACCESS_BLOCK |
                   1 << ACCESS_MEMBER | 1 << ACCESS_ELEMENT
};

/* Starts with `study` set and all other members zero; bases_close() frees it. */
struct bases {
    struct study *study;
    bool *is_pointer; /* by symbol: a parameter that a cvta treats as an address, or the
                         only possible address of some access */
    uint32_t symbol_count;
};
void bases_open(struct bases *b);
void bases_close(struct bases *b);

/* Kind of base (access_base) of a symbol, or -1. */
int bases_kind(const struct access_symbol *y);
/* Whether the symbol is certainly an address and not a number. */
bool bases_marked(const struct bases *b, uint32_t symbol);
/* The only address among the terms: a symbol; -1: none, -2: several. */
int64_t bases_find(const struct bases *b, const struct access_form *f);
/* Whether some term is a choice between forms that each contain an address. */
bool bases_choose_address(const struct bases *b, const struct access_form *f);
/* Whether no other term can be an address, whatever memory contains. */
bool bases_alone(const struct bases *b, const struct access_form *f);

/* Offset from a pointer that the kernel selects at run time, for an address of unknown base
   at operand `at`. NULL if the offset has no value or no pointer is selected. Sets the
   record's `member` and the assumptions of both. */
const struct access_form *bases_choose(const struct bases *b, struct access_record *r,
                                       const struct ptx_operand *at,
                                       const struct access_form *address);
