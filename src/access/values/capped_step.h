/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Values that are one of two forms: a selection, a minimum or maximum, a join of two paths,
   or a sum with one of these. */

#include "access/values/study.h"

struct capped_step {
    const struct access_form *forms[2];
    enum ptx_opcode opcode; /* PTX_SELP, PTX_MIN or PTX_MAX, unless a join */
    bool is_join, is_signed;
    uint8_t bits;
    int32_t predicate;                     /* of a selection: true selects the first */
    const struct access_condition *first;  /* the same as a condition */
    const struct access_form *compared[2]; /* sides of a minimum or maximum */
};

/* Whether the value of `bytes` bytes is such a value. */
bool capped_step_find(struct study *s, int32_t value, unsigned bytes,
                      struct capped_step *out);

/* Condition that selects the form `which` rather than a different one. */
const struct access_condition *capped_step_taken(struct study *s,
                                                 const struct capped_step *c, int which);

/* The unguarded instruction that assigns the value; NULL: none. */
const struct ptx_instruction *capped_made_by(const struct study *s, int32_t value,
                                             uint32_t *at);
int32_t capped_read(const struct study *s, uint32_t at, const struct ptx_operand *o);

/* Value that moves between registers copy. */
int32_t capped_source(const struct study *s, int32_t value);
