/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Output of statements. Registers get new names (slice_names.c), so scopes of inline
   assembly have no effect. */

#include "access/slice/slice.h"
#include "base/text.h"

struct slice_text {
    const struct slice *s;
    struct text body;
    int64_t *registers; /* by number in the name: the kernel's register, or -1 */
    bool *symbols;      /* by module symbol: it is named */
    bool matrices;      /* matrix stores exist and need registers */
    uint32_t at;        /* the printed instruction */
    bool in_target;     /* the current operand is a destination */
};

/* Prints the instruction unchanged, with its guard. */
void slice_text_keep(struct slice_text *t, const struct ptx_instruction *i);

/* Prints a store of zeros to the instruction's address. The guard is omitted if memory
   decides it. */
void slice_text_store(struct slice_text *t, const struct ptx_instruction *i);

/* "@%v1 ", "@!%v1 " or nothing. */
void slice_text_guard(struct slice_text *t, const struct ptx_instruction *i);

/* "%v1": a register that the instruction uses. */
void slice_text_register(struct slice_text *t, const struct ptx_instruction *i,
                         int32_t reg);

void slice_text_open(struct slice_text *t, const struct slice *s);
void slice_text_close(struct slice_text *t);

/* Declarations before the body: registers, module variables. */
void slice_text_registers(const struct slice_text *t, struct text *into);
void slice_text_variables(const struct slice_text *t, struct text *into);
