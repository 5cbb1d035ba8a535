/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Elements of tables that the host fills before the launch, in the parameters or in
   constant memory. */

#include "access/values/study.h"

/* Form of the value that instruction `y.variable` reads at position `y.left`. The table may
   depend on unresolved phis; the element then has 0 bytes, and a later call with the
   resolved position finds the table. NULL: the position lies in no table. */
const struct access_form *element_form(struct study *s, struct access_symbol y);
