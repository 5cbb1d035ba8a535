/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* SSA form. PTX assigns a register several times; here each assignment is a value. A phi
   joins the values that reach a block. */

#include "access/flow/regions.h"

enum ssa_kind { SSA_DEFINED, SSA_PHI };

struct ssa_value {
    enum ssa_kind kind;
    uint32_t block, instruction; /* a phi: first instruction of its block */
    uint32_t element;            /* index in a vector destination */
    int32_t reg;
    int32_t *from; /* of a phi: value by predecessor, -1: never assigned */
};

struct ssa {
    const struct regions *regions;
    struct ssa_value *values;
    uint32_t count;
    int32_t *single;   /* by register: its only value, -1: none, -2: several */
    int32_t *variable; /* by register with several values: its index in the next tables,
                          else -1 */
    uint32_t variable_count;
    int32_t *entry;     /* by block and variable: value at the block's start, -1: none */
    int32_t *first_phi; /* by block: values [first_phi, first_phi + phi_count) */
    uint32_t *phi_count;
    int32_t *first_value; /* by instruction: first of its destinations' values, or -1 */
    /* By variable: the values that instructions assign to it, [given_first[v],
       given_first[v + 1]), in order. */
    int32_t *given;
    uint32_t *given_first;
};

struct ssa *ssa_build(const struct regions *r, struct arena *arena);

/* Value of a register that instruction `at` reads; -1: never assigned. */
int32_t ssa_read(const struct ssa *s, uint32_t at, int32_t reg);

/* Writes the registers that an instruction assigns, at most `size`; returns their
   number. */
uint32_t ssa_targets(const struct ptx_instruction *i, int32_t *regs, uint32_t size);
