/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Constant folding of the access functions. */

#include "access/access.h"

/* Low `bits` bits of a value, read with or without sign. */
uint64_t apply_cut(uint64_t value, unsigned bits, bool is_signed);

/* Result of the function as PTX defines it, truncated to `bits` bits and sign-extended. */
uint64_t apply_function(enum access_function f, bool is_signed, unsigned bits, uint64_t a,
                        uint64_t b);
