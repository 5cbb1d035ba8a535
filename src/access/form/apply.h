/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the functions give for numbers. */

#include "access/access.h"

/* The low `bits` of a value, read with or without sign. */
uint64_t apply_cut(uint64_t value, unsigned bits, bool is_signed);

/* What the function gives, as PTX has it; cut to `bits` with the sign. */
uint64_t apply_function(enum access_function f, bool is_signed, unsigned bits, uint64_t a,
                        uint64_t b);
