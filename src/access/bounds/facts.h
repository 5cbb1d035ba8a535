/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Facts: linear inequalities that guards imply for forms in a launch. */

#include "access/form/form.h"
#include "access/form/range.h"

struct fact {
    const struct access_form *form; /* form <= most */
    int64_t most;
    const struct access_condition *from; /* a comparison */
};

enum { FACTS_MAX = 48 };

struct facts {
    struct forms forms; /* for new forms, over the analysis's symbols */
    struct range_view view;
    bool in_pairs;   /* bounds combine two facts, such as the end of a column and that of a
                        row */
    bool in_turn;    /* bounds apply facts one after the other, the best one first */
    uint32_t *tried; /* number of combined attempts, shared by copies; limited */
    uint32_t count;
    struct fact facts[FACTS_MAX];
};

/* Empty facts of a launch. All pointers are borrowed. */
void facts_open(struct facts *f, struct arena *arena, const struct access_analysis *a,
                const struct access_launch *l, const int64_t *trips);

/* Adds the facts that the condition (negated: its negation) implies; drops those that do
   not fit. Comparisons are taken as comparisons of integers: see facts_are_whole(). */
void facts_add(struct facts *f, const struct access_condition *c, bool negated);

/* Whether both sides lie in the range of the comparison's type, so that it compares the
   values of the forms. */
bool facts_are_whole(const struct facts *f, const struct access_condition *c);

/* Adds the facts of an unsigned comparison whose smaller side may be negative. A negative
   number reads as larger than any number of the lower half, so `left < right` also implies
   0 <= left. False if the condition is no such comparison. */
bool facts_add_unsigned(struct facts *f, const struct access_condition *c, bool negated);

/* Relaxes d <= most by replacing one term, a minimum, a maximum or an `and`, by one of its
   arguments. min(a, b) is at most a and at most b; a & b is at most a. The term is a
   subtracted minimum or `and` with a number, or an added maximum. NULL if the term is
   another one or may wrap. */
const struct access_form *facts_replaced(struct facts *f, const struct access_form *d,
                                         uint32_t term, bool right);

/* Whether the form is constant for the life of a thread. Facts of any iteration then apply
   to it. */
bool facts_never_change(const struct facts *f, const struct access_form *form);

/* Whether the form lies in 0 to 2^31 - 1, by its interval or, if it is constant for a
   thread, by the facts. It is then a valid dividend. */
bool facts_natural(struct facts *f, const struct access_form *form);

/* Fact with a quotient term replaced by its dividend; false if the term is no quotient. */
bool facts_floored(struct facts *f, const struct fact *of, uint32_t term, struct fact *out);

/* x, if the form is x without its low bits, a multiple of `unit`; else NULL. */
const struct access_form *facts_multiple(struct facts *f, const struct access_form *form,
                                         int64_t *unit);

/* Whether all these forms lie in their ranges, independently of the guards. */
bool facts_fit(const struct facts *f, const struct access_range *ranges, uint32_t count);

/* Adds form >= 1, which the comparison `from` implies, and its consequences. */
void facts_add_positive(struct facts *f, const struct access_form *form,
                        const struct access_condition *from);

/* Adds the facts of all guards whose assumptions hold, from integer comparisons only. */
void facts_add_guards(struct facts *f, const struct access_guard *guards, uint32_t count);

/* The form with launch constants inserted: parameters, grid and CTA sizes. NULL for
   NULL. */
const struct access_form *facts_known(struct facts *f, const struct access_form *form);

/* Whether the facts are contradictory. */
bool facts_contradict(struct facts *f);

/* Bounds of a form under the facts. */
bool facts_bound(struct facts *f, const struct access_form *form, struct range *out);
/* The same for a sum of functions, each bounded through its arguments; slower. False if the
   form contains no function. */
bool facts_bound_deep(struct facts *f, const struct access_form *form, struct range *out);
/* Whether K of the loop occurs in the form or in a fact that may affect its bounds: a fact
   that shares a term with the form, directly or through other facts. */
bool facts_concern(const struct facts *f, const struct access_form *form, uint32_t loop);
