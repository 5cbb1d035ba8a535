/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Registers of PTX are assigned more than once; here every assignment is a value of its
   own, and where several reach a block they meet in a phi. */

#include "access/flow/regions.h"

enum ssa_kind { SSA_DEFINED, SSA_PHI };

struct ssa_value {
    enum ssa_kind kind;
    uint32_t block, instruction; /* a phi: the first of its block */
    uint32_t element;            /* which of a vector destination */
    int32_t reg;
    int32_t *from; /* a phi's: value by predecessor, -1 where it was never assigned */
};

struct ssa {
    const struct regions *regions;
    struct ssa_value *values;
    uint32_t count;
    int32_t *single;   /* by register: its only value, -1 none, -2 several */
    int32_t *variable; /* by register with several: its row below, else -1 */
    uint32_t variable_count;
    int32_t *entry;     /* by block and variable: value at its start, -1 none */
    int32_t *first_phi; /* by block: values [first_phi, + phi_count) */
    uint32_t *phi_count;
    int32_t *first_value; /* by instruction: of its destinations in order, or -1 */
    /* By variable: values that instructions give it, [given_first[v], given_first[v + 1]),
       in their order. */
    int32_t *given;
    uint32_t *given_first;
};

struct ssa *ssa_build(const struct regions *r, struct arena *arena);

/* Value of a register as instruction `at` reads it; -1 if it was never assigned. */
int32_t ssa_read(const struct ssa *s, uint32_t at, int32_t reg);

/* Registers that an instruction assigns, at most `size`; returns how many. */
uint32_t ssa_targets(const struct ptx_instruction *i, int32_t *regs, uint32_t size);
