/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Bounds of forms at the instruction of a record. */

#include "access/bounds/facts.h"

/* Assumption that T of a loop that has ended, and does not surround the record, is a
   number. */
struct ended {
    uint32_t symbol;
    const struct access_form *is;
    const struct ended *before;
};

/* Context: the facts that hold when the record's instruction executes. */
struct extent {
    const struct access_analysis *analysis;
    const struct access_form *form; /* under evaluation */
    int32_t loop;                   /* the record's loop */
    const struct ended *ended;      /* applied to the current facts, not to later ones */
    struct facts facts;
};

/* Whether the loop (-1: none) is `around` or lies inside it. */
bool extent_inside(const struct access_analysis *a, int32_t loop, uint32_t around);
/* Opens a context. All pointers are borrowed. */
void extent_open(struct extent *e, struct arena *arena, const struct access_analysis *a,
                 const struct access_record *r, const struct access_launch *l,
                 const int64_t *trips);
/* Applies the assumptions about ended loops to the facts from `first` on. */
void extent_end(struct extent *e, uint32_t first);
/* Bounds of a form over all threads that execute the instruction, under the current facts;
   false if unknown. Empty (high < low) if no thread executes it. */
bool extent_of(const struct extent *e, const struct access_form *form, struct range *out);

/* Bounds of the range's type. */
void extent_extremes(const struct access_range *w, int64_t *least, int64_t *most);
/* Like access_wraps(), over the record's ranges and then the analysis's, from `next` on.
   Sets `next` to the range after the returned one. */
const struct access_range *extent_wraps(const struct extent *e,
                                        const struct access_record *r, uint32_t *next,
                                        int64_t bounds[2], bool *known);
