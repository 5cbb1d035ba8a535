/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Values of a loop that are of use in the iteration alone in which they are made. */

#include "access/values/study.h"

/* Whether the value is made in a loop, and it and all that is made of it are read there
   only until the iteration ends, by what decides no branch. What is loaded by an address is
   not made of it. */
bool within_iteration(struct study *s, uint32_t value);
