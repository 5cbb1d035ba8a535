/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Called functions. */

#include "access/values/study.h"

/* Whether the called function accesses only its own memory and constants. An example is a
   slow path of arithmetic. */
bool call_is_quiet(const struct study *s, const struct ptx_instruction *call);
