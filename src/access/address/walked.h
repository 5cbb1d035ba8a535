/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "access/address/bases.h"

/* An address without a form, that some ways through the kernel move on and others do not
   (`if (in[k] > 0) *out++ = in[k]`): the one parameter, a symbol, that it began with on all
   ways; -1 where there may be several, or what is added may be an address. `f`: of the
   instruction's operand, its phis not resolved. */
int64_t walked_base(const struct bases *b, const struct access_form *f);
