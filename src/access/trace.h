/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* All values from which an address was computed. */

#include "access/study.h"

struct trace {
    bool *seen; /* by value */
    uint32_t *values, count;
    uint32_t data_line; /* the first load met, 0 for none */
};

/* Starts at what `o` reads; clear with trace_clear(). */
struct trace trace_operand(struct study *s, uint32_t instruction,
                           const struct ptx_operand *o);
void trace_clear(struct trace *t);
