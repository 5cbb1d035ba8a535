/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Modifiers of wmma and mma. */

#include "execute/load/decoder.h"

struct matrix_words {
    uint16_t m, n, k;             /* m is 0 if a modifier is unknown or there is no shape */
    uint8_t kind_count, kinds[4]; /* enum matrix_kind, in source order */
    bool is_known;                /* true if every modifier is known */
};
struct matrix_words matrix_words_read(const struct ptx_instruction *i);

/* True for a register with `bytes` bytes per lane, and for an operand that is no
   register. */
bool operand_has_width(const struct decoder *d, const struct ptx_operand *o,
                       unsigned bytes);
/* Registers per lane for `elements` elements of A or B. */
unsigned matrix_registers(unsigned elements, enum matrix_kind kind);
