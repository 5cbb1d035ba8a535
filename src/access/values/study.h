/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What is known of a function while it is analysed. Forms of values may hold phi symbols
   until resolve.h replaces them. */

#include "access/flow/ssa.h"
#include "access/form/function.h"

struct study_value {
    const struct access_form *form;           /* NULL only before its turn */
    const struct access_condition *condition; /* of a predicate */
    /* Where the form is a phi symbol: what it may be, one by one. A loop's phi: what it is
       at first, then what each further iteration makes of it. */
    const struct access_form **options;
    uint32_t *origins; /* by option: the block it comes from */
    uint32_t option_count;
    uint32_t first_range, range_count; /* in the maker: demands of this very instruction */
    const struct access_form *step; /* of a loop's phi: an iteration adds it; NULL: other */
    const struct access_form *resolved;
    uint32_t generation; /* of `resolved` */
    uint32_t choice;     /* its number + 1 once it has become a choice */
    int32_t chosen_by;   /* of a predicate's phi that has a condition: a predicate, + 1 */
};

struct study {
    struct access_analysis *analysis;
    const struct ptx_module *module;
    const struct ptx_function *function;
    struct arena *arena;
    struct regions *regions;
    struct ssa *ssa;
    struct maker maker;
    struct study_value *values;  /* as in the ssa */
    struct trace_shared *shared; /* of trace_origin.h, once it needs that */
    const struct ssa_uses *uses; /* NULL until somebody asks */
    uint32_t generation;
    struct guards_kept *guards; /* of guards.c */
};

/* Forms of what an instruction reads; addresses with what stands beside the register. */
const struct access_form *study_operand(struct study *s, uint32_t instruction,
                                        const struct ptx_operand *o);
const struct access_condition *study_predicate(struct study *s, uint32_t instruction,
                                               int32_t reg);

/* A symbol for what has no form. `reason` is a literal. */
const struct access_form *study_opaque(struct study *s, uint32_t instruction,
                                       uint32_t element, const char *reason);
