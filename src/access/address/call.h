/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Functions that are called. */

#include "access/values/study.h"

/* Whether what is called touches no memory but its own and constants: a slow path of
   arithmetic, for one. */
bool call_is_quiet(const struct study *s, const struct ptx_instruction *call);
