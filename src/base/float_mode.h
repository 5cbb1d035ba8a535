/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Floating-point environment of the calling thread: rounding, traps, exception flags,
   denormal handling. Between begin and end it is C's default environment. The end restores
   that of the program unchanged. */

#include <fenv.h>

struct float_mode {
    fenv_t programs;
};

void float_mode_begin(struct float_mode *m);
void float_mode_end(const struct float_mode *m);
