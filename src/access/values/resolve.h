/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Resolution of phi symbols. A phi becomes a sum over the iterations of a loop, the common
   form of all incoming edges, or a choice. */

#include "access/values/study.h"

#define CHOICES_SEVERAL UINT32_MAX /* origin of a choice that several edges assign */

/* Finds the step of each loop's phis. */
void resolve_loops(struct study *s);

/* The form as seen from `block`, without phi symbols. */
const struct access_form *resolve_form(struct study *s, const struct access_form *f,
                                       uint32_t block);
const struct access_condition *resolve_condition(struct study *s,
                                                 const struct access_condition *c,
                                                 uint32_t block);
