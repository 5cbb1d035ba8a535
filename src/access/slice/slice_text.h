/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Statements of the slice as text. Registers get names of their own (slice_names.c), so
   that scopes of the kernel's inline assembly do not matter either. */

#include "access/slice/slice.h"
#include "base/text.h"

struct slice_text {
    const struct slice *s;
    struct text body;
    int64_t *registers; /* by number in its name: the kernel's register, or -1 */
    bool *symbols;      /* by symbol of the module: is named */
    bool matrices;      /* some are stored: that needs registers, too */
    uint32_t at;        /* instruction that is printed */
    bool in_target;     /* of it: an operand that it defines */
};

/* The instruction as it is, with its guard. */
void slice_text_keep(struct slice_text *t, const struct ptx_instruction *i);

/* A store of zeros to where the instruction writes. Its guard stays unless memory decides
   it. */
void slice_text_store(struct slice_text *t, const struct ptx_instruction *i);

/* "@%v1 " or "@!%v1 " or nothing. */
void slice_text_guard(struct slice_text *t, const struct ptx_instruction *i);

/* "%v1": a register that the instruction uses. */
void slice_text_register(struct slice_text *t, const struct ptx_instruction *i,
                         int32_t reg);

void slice_text_open(struct slice_text *t, const struct slice *s);
void slice_text_close(struct slice_text *t);

/* What goes before the body: registers, variables of the module. */
void slice_text_registers(const struct slice_text *t, struct text *into);
void slice_text_variables(const struct slice_text *t, struct text *into);
