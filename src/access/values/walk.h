/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Assigns a form to every value, from the first block to the last, with symbols for
   phis. */

#include "access/values/study.h"

void walk_values(struct study *s);
