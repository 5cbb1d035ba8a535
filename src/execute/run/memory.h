/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Moves the values of one warp's access between registers and memory of this process. */

#include "execute/run/run.h"

/* How the addresses lie. UNIT: lane after lane without a gap; HALVES: so within each half of
   the warp. All but ANY have all lanes active, and `first` and `second` (of lane 16) set. */
enum lie_form { LIE_UNIT, LIE_EQUAL, LIE_UNIT_HALVES, LIE_EQUAL_HALVES, LIE_ANY };
struct lie {
    enum lie_form form;
    uint64_t first, second;
    const uint64_t *address; /* 32, where mask; needed for ANY, and for more than one element */
};

/* Loads, stores or, lane by lane, updates; `is_global`: with real atomics. */
void move_values(struct execute_warp *w, const struct execute_op *op, const struct site *s,
                 const struct lie *lie, uint32_t mask, bool is_global);

/* What a store or atomic carries, as the host wants it: 32 lanes of access.bytes; behind them
   the second operands. */
void pack_operands(struct execute_warp *w, const struct site *s, uint32_t mask,
                   unsigned char *out);
