/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What an instruction says of itself that is an atomic: of the rooms' questions, those that
   take no analysis. */

#include <stdbool.h>

#include "ptx/ptx.h"

/* The operand that says where a store or an atomic goes; what is stored is the next one, or
   with .cas, behind what is compared, the last one. NULL where there is more to it. */
const struct ptx_operand *atomic_place(const struct ptx_instruction *i);

/* A dotted word of order or scope under which all CTAs of a device take part. */
bool atomic_is_word(enum ptx_part part);

/* Integers, or bits, of 4 or 8 bytes. */
bool atomic_is_number(enum ptx_part type);
