/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Flags: stores of a kernel to which it does not matter which CTA makes them, or how many,
   since all store one value to one place, as in `if (...) *changed = 1;`. So it is with
   `atomicOr(changed, 1);` and `atomicCAS(changed, 0, 1);`, if nobody looks at what was
   there: made once more, it changes nothing. And with several values, if all are joined in
   one way: `atomicOr(seen, 1); ... atomicOr(seen, 2);`. */

#include "ptx/ptx.h"

/* Of one kind are those that store the same bytes, as many of them and in one way, and for
   which that can be said of every thread of a launch: a number, a parameter, or what is
   made of these. */
struct access_flag {
    uint32_t instruction, line;
    uint32_t parameter; /* its pointer, by the byte in the block */
    uint32_t kind;
    uint32_t way; /* kinds of one way are joined alike, by other values */
    bool joint;   /* others of its way may go to the same bytes: it has to stay an atomic */
};

struct access_flags {
    struct access_flag *flag;
    uint32_t count, kinds;
    bool *decide; /* by byte of the block: what is stored hangs on it */
};

/* Plain stores of one number through a pointer among the parameters, where neither thread
   nor CTA nor memory decides the place; and atomics that exchange, that compare and
   exchange, or that take the bits, the least or the most of it and what is there, without
   order and with no result. */
struct access_flags access_flags_find(const struct ptx_module *m,
                                      const struct ptx_function *f);
void access_flags_clear(struct access_flags *flags);
