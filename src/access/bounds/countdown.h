/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Loops that end when two numbers become equal: `do ... while (--left != 0)`. */

#include "access/bounds/facts.h"

struct countdown {
    const struct access_form *start; /* value of the number before the loop's first step */
    const struct access_form *left;  /* positive in each iteration that has a successor */
    int64_t trips;                   /* upper bound */
};

/* Decomposition d = start + step * K of the loop; false if d has another form. */
bool countdown_split(struct facts *f, const struct access_form *d, uint32_t loop,
                     const struct access_form **start, const struct access_form **step);

/* Whether the condition states that two numbers differ. */
bool countdown_is(struct facts *f, const struct access_condition *c, bool negated);

/* Trip count bound from a branch that every iteration with a successor passes, under facts
   that hold when the loop is entered. False if the numbers may miss each other. */
bool countdown_of(struct facts *f, const struct access_guard *stay, uint32_t loop,
                  struct countdown *out);
