/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* All values from which an address, or a predicate, was computed. */

#include "access/values/study.h"

struct trace {
    bool *is_listed;   /* by value */
    uint8_t *low_bits; /* by value: as many of its low bits count, at least; 64: all */
    uint32_t *values, count, visited;
    uint32_t data_line; /* the first load met, 0 for none */
    bool predicates;    /* goes through them as well */
    bool loads;         /* goes through those of global memory, to where they read */
};

struct trace trace_open(const struct study *s, bool predicates);
/* Adds what `o` reads; what that was computed from comes with trace_finish(). */
void trace_visit(const struct study *s, struct trace *t, uint32_t instruction,
                 const struct ptx_operand *o);
void trace_finish(const struct study *s, struct trace *t);

/* Starts at what `o` reads; clear with trace_clear(). */
struct trace trace_operand(struct study *s, uint32_t instruction,
                           const struct ptx_operand *o);
struct trace trace_predicate(struct study *s, uint32_t instruction, int32_t reg);

/* What the forms of these values assume, resolved, each once; false if one of them has no
   form. Adds to `*ranges`, which starts as NULL. */
bool trace_ranges(struct study *s, const struct trace *t, struct access_range **ranges,
                  uint32_t *count);
void trace_clear(struct trace *t);
