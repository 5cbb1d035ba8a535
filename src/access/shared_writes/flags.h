/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Idempotent stores (flags): neither the CTA nor the number of executions matters, because
   all store one value to one location, as in `if (...) *changed = 1;`. `atomicOr(changed,
   1);` and `atomicCAS(changed, 0, 1);` with unused results belong to this class. So do
   several values with the same associative operation: `atomicOr(seen, 1); ...
   atomicOr(seen, 2);`. */

#include "ptx/ptx.h"

/* Idempotent store. Stores of one kind have the same value, size and operation. The value
   is equal in all threads of a launch: a number, a parameter, or computed from these. */
struct access_flag {
    uint32_t instruction, line;
    uint32_t parameter; /* parameter offset of its pointer */
    uint32_t kind;
    uint32_t way; /* kinds of one way have the same operation but other values */
    bool joint;   /* another kind of its way may write the same bytes: it must remain an
                     atomic */
};

struct access_flags {
    struct access_flag *flag;
    uint32_t count, kinds;
    bool *decide; /* by parameter byte: a stored value depends on it */
};

/* Finds the idempotent stores of a kernel. They are plain stores of one number through a
   pointer parameter, to a location that depends on neither thread, CTA nor memory. Atomics
   without order and result are included: exchange, compare-and-exchange, bit operations,
   minimum and maximum. */
struct access_flags access_flags_find(const struct ptx_module *m,
                                      const struct ptx_function *f);
void access_flags_clear(struct access_flags *flags);
