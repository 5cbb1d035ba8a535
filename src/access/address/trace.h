/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Backward trace: all values from which an address or a predicate is computed. */

#include "access/values/study.h"

struct trace {
    bool *is_listed;   /* by value */
    uint8_t *low_bits; /* by value: number of low bits that matter, at least; 64: all */
    uint32_t *values, count, visited;
    uint32_t data_line; /* first load found, 0: none */
    bool predicates;    /* follow predicates too */
    bool loads;         /* follow loads of global memory to their addresses */
};

struct trace trace_open(const struct study *s, bool predicates);
/* Adds the values that operand `o` reads. trace_finish() adds the values from which they
   are computed. */
void trace_visit(const struct study *s, struct trace *t, uint32_t instruction,
                 const struct ptx_operand *o);
void trace_finish(const struct study *s, struct trace *t);

/* Traces operand `o`. The caller frees the trace with trace_clear(). */
struct trace trace_operand(struct study *s, uint32_t instruction,
                           const struct ptx_operand *o);
struct trace trace_predicate(struct study *s, uint32_t instruction, int32_t reg);

/* Resolved assumptions of the forms of all traced values, without duplicates; false if a
   form is missing. Appends to `*ranges`, which starts as NULL. */
bool trace_ranges(struct study *s, const struct trace *t, struct access_range **ranges,
                  uint32_t *count);
void trace_clear(struct trace *t);
