/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Replaces phi symbols by what they stand for: sums over a loop's iterations, the one form
   on which all ways to a join agree, else a choice. */

#include "access/values/study.h"

#define CHOICES_SEVERAL UINT32_MAX /* origin of a choice that several edges assign */

/* Finds what each loop adds to its phis. */
void resolve_loops(struct study *s);

/* The form as seen from `block`, without phi symbols. */
const struct access_form *resolve_form(struct study *s, const struct access_form *f,
                                       uint32_t block);
const struct access_condition *resolve_condition(struct study *s,
                                                 const struct access_condition *c,
                                                 uint32_t block);
