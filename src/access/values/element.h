/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Numbers of a table that the host has put there before the launch: among the parameters,
   or in constant memory. */

#include "access/values/study.h"

/* What instruction `y.variable` reads at the place `y.left`. Which table that is may not be
   known before phis in it are: until then the element is of no bytes, and asked again. NULL
   where it is of none. */
const struct access_form *element_form(struct study *s, struct access_symbol y);
