/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "access/address/bases.h"

/* Base of an address without a form that some paths through the kernel advance and others
   do not (`if (in[k] > 0) *out++ = in[k]`). Returns the only parameter, a symbol, from
   which all paths start. Returns -1 if several are possible, or if an added term may be an
   address. `f` is the form of the instruction's operand, with unresolved phis. */
int64_t walked_base(const struct bases *b, const struct access_form *f);
