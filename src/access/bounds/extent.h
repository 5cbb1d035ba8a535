/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Between which values a form lies where a record's instruction is executed. */

#include "access/bounds/facts.h"

/* T of a loop that has ended, none around the record, is taken to be a number. */
struct ended {
    uint32_t symbol;
    const struct access_form *is;
    const struct ended *before;
};

/* What is known where a record's instruction is executed. */
struct extent {
    const struct access_analysis *analysis;
    const struct access_form *form; /* in work */
    int32_t loop;                   /* the record's */
    const struct ended *ended;      /* in the facts already, not in what comes to them */
    struct facts facts;
};

/* Whether the loop, -1 for none, is `around`, or lies in it. */
bool extent_inside(const struct access_analysis *a, int32_t loop, uint32_t around);
/* The arena and the rest are borrowed. */
void extent_open(struct extent *e, struct arena *arena, const struct access_analysis *a,
                 const struct access_record *r, const struct access_launch *l,
                 const int64_t *trips);
/* In the facts from `first` on, too, loops that have ended went around as often as is
 * taken. */
void extent_end(struct extent *e, uint32_t first);
/* At any thread that executes it, by the facts as they are now; false if that is not known.
   Empty (high < low) where nobody does. */
bool extent_of(const struct extent *e, const struct access_form *form, struct range *out);

/* Of the range's type. */
void extent_extremes(const struct access_range *w, int64_t *least, int64_t *most);
/* As access_wraps(), of the record's ranges and the analysis's from `next` on, which is set
   behind the one that is returned. */
const struct access_range *extent_wraps(const struct extent *e,
                                        const struct access_record *r, uint32_t *next,
                                        int64_t bounds[2], bool *known);
