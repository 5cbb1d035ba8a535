/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Properties of atomic instructions that need no analysis. */

#include <stdbool.h>

#include "ptx/ptx.h"

/* Address operand of a store or an atomic. The stored value is the next operand; with .cas,
   the last one, after the compared value. NULL for any other operand form. */
const struct ptx_operand *atomic_place(const struct ptx_instruction *i);

/* Whether a dotted word states an order or scope that includes all CTAs of a device. */
bool atomic_is_word(enum ptx_part part);

/* Whether the type is an integer or bit type of 4 or 8 bytes. */
bool atomic_is_number(enum ptx_part type);
