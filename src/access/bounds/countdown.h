/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Loops that go on until a number meets another: `do ... while (--left != 0)`. */

#include "access/bounds/facts.h"

struct countdown {
    const struct access_form *start; /* of the number, before the loop's first step */
    const struct access_form *left; /* above 0 in each iteration that another one follows */
    int64_t trips;                  /* at most */
};

/* d = start + step * K of the loop; false where it is not of that kind. */
bool countdown_split(struct facts *f, const struct access_form *d, uint32_t loop,
                     const struct access_form **start, const struct access_form **step);

/* Whether the condition says that two numbers differ. */
bool countdown_is(struct facts *f, const struct access_condition *c, bool negated);

/* Of a branch that each iteration passed which another one followed; by the facts, which
   hold where the loop is entered. False where the numbers may pass each other. */
bool countdown_of(struct facts *f, const struct access_guard *stay, uint32_t loop,
                  struct countdown *out);
