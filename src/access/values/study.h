/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Analysis context of a function. Forms of values may contain phi symbols until resolve.h
   replaces them. */

#include "access/flow/ssa.h"
#include "access/form/function.h"

struct study_value {
    const struct access_form *form;           /* NULL only before the value is visited */
    const struct access_condition *condition; /* of a predicate */
    /* Possible forms, if the form is a phi symbol. For a loop's phi: its initial form, then
       the form after each further iteration. */
    const struct access_form **options;
    uint32_t *origins; /* by option: the source block */
    uint32_t option_count;
    uint32_t first_range, range_count; /* in `maker`: assumptions of this instruction */
    const struct access_form *step;    /* loop phi: increment per iteration; NULL: none */
    const struct access_form *resolved;
    uint32_t generation; /* of `resolved` */
    uint32_t choice;     /* 1 + its number as a choice; 0: none */
    int32_t chosen_by;   /* predicate's phi: 1 + the deciding predicate, 0: none */
};

struct study {
    struct access_analysis *analysis;
    const struct ptx_module *module;
    const struct ptx_function *function;
    struct arena *arena;
    struct regions *regions;
    struct ssa *ssa;
    struct maker maker;
    struct study_value *values;  /* as in `ssa` */
    struct trace_shared *shared; /* of trace_origin.h; NULL until needed */
    const struct ssa_uses *uses; /* NULL until needed */
    uint32_t generation;
    struct guards_kept *guards; /* of guards.c */
};

/* Form or condition of an operand. An address includes the offset next to the register. */
const struct access_form *study_operand(struct study *s, uint32_t instruction,
                                        const struct ptx_operand *o);
const struct access_condition *study_predicate(struct study *s, uint32_t instruction,
                                               int32_t reg);

/* Symbol for a value without a form. `reason` is a string literal. */
const struct access_form *study_opaque(struct study *s, uint32_t instruction,
                                       uint32_t element, const char *reason);
