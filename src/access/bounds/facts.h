/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What guards say of forms in a launch: that one is at most a number. */

#include "access/form/form.h"
#include "access/form/range.h"

struct fact {
    const struct access_form *form; /* form <= most */
    int64_t most;
    const struct access_condition *from; /* a comparison */
};

enum { FACTS_MAX = 48 };

struct facts {
    struct forms forms; /* for new forms; its symbols are the analysis's */
    struct range_view view;
    bool in_pairs;   /* bounds take two facts together: of a column's end, and of a row's */
    bool in_turn;    /* bounds take one fact after the other, that which helps most first */
    uint32_t *tried; /* how often these and their copies did so: they stop some time */
    uint32_t count;
    struct fact facts[FACTS_MAX];
};

/* Of a launch; the arena and the rest are borrowed. */
void facts_open(struct facts *f, struct arena *arena, const struct access_analysis *a,
                const struct access_launch *l, const int64_t *trips);

/* Adds what follows if the condition holds (negated: does not); what does not fit is left
   out. A comparison is taken as one of whole numbers: see facts_are_whole(). */
void facts_add(struct facts *f, const struct access_condition *c, bool negated);

/* Whether both sides of the comparison lie in the range of its type, so that it compares
   what the forms say. */
bool facts_are_whole(const struct facts *f, const struct access_condition *c);

/* An unsigned comparison whose smaller side may be negative: then it looks larger than any
   number in the lower half. `left < right` says 0 <= left as well. False where it is no
   such comparison. */
bool facts_add_unsigned(struct facts *f, const struct access_condition *c, bool negated);

/* min(a, b) is at most a, and at most b, and a & b at most a: of d <= most, where the term
   is a min, or an `and` with a number, that is taken away, or a max that is added, what
   stays true with a, or b, in its place. NULL where it is no such term, or wraps. */
const struct access_form *facts_replaced(struct facts *f, const struct access_form *d,
                                         uint32_t term, bool right);

/* Whether the form is the same for a thread all the way: what facts of any iteration say of
   it holds. */
bool facts_never_change(const struct facts *f, const struct access_form *form);

/* Whether the form is a number from 0 to 2^31 - 1 by its range, or, where it is the same
   for a thread all the way, by the facts: so may be what it is a quotient of. */
bool facts_natural(struct facts *f, const struct access_form *form);

/* What stays true of a fact with x in the place of a term's quotient of it; false where the
   term is none. */
bool facts_floored(struct facts *f, const struct fact *of, uint32_t term, struct fact *out);

/* x, where the form is x less its last bits, a multiple of `unit`; NULL if it is none. */
const struct access_form *facts_multiple(struct facts *f, const struct access_form *form,
                                         int64_t *unit);

/* Whether all these forms lie in their ranges, whatever the guards say. */
bool facts_fit(const struct facts *f, const struct access_range *ranges, uint32_t count);

/* Adds that the form is at least 1, by that comparison, and what follows. */
void facts_add_positive(struct facts *f, const struct access_form *form,
                        const struct access_condition *from);

/* Adds what follows from guards whose forms assume nothing that may not be so, of
   comparisons of whole numbers only. */
void facts_add_guards(struct facts *f, const struct access_guard *guards, uint32_t count);

/* The form with numbers for what the launch tells of it: parameters, sizes of the grid and
   the CTAs. NULL for NULL. */
const struct access_form *facts_known(struct facts *f, const struct access_form *form);

/* Whether the facts cannot all be true. */
bool facts_contradict(struct facts *f);

/* Between which values a form lies if the facts are true. */
bool facts_bound(struct facts *f, const struct access_form *form, struct range *out);
/* The same of a sum of functions, of which each is bounded by what it is of: slower. False
   where there is no function in the form. */
bool facts_bound_deep(struct facts *f, const struct access_form *form, struct range *out);
/* Whether K of the loop is in the form, or in a fact that may have a say in its bounds:
   that has a term in common with the form, or with one that has. */
bool facts_concern(const struct facts *f, const struct access_form *form, uint32_t loop);
