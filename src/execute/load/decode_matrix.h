/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the words of wmma and mma say. */

#include "execute/load/decoder.h"

struct matrix_words {
    uint16_t m, n, k; /* m is 0 where a word is not known, or there is no shape */
    uint8_t kind_count, kinds[4]; /* enum matrix_kind, as written */
    bool is_known;                /* every word */
};
struct matrix_words matrix_words_read(const struct ptx_instruction *i);

/* A register of so many bytes a lane, or no register. */
bool operand_has_width(const struct decoder *d, const struct ptx_operand *o,
                       unsigned bytes);
/* Registers that hold rows x columns elements of A or B. */
unsigned matrix_registers(unsigned elements, enum matrix_kind kind);
