/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Values of a loop that are used only in their own iteration. */

#include "access/values/study.h"

/* Whether the value, and everything computed from it, is read only in the loop and before
   the iteration ends, and decides no branch. A value loaded through an address does not
   count as computed from it. */
bool within_iteration(struct study *s, uint32_t value);
