/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* How this thread's processor does floating-point arithmetic is the program's: how it
   rounds, what traps, which exceptions were raised, whether tiny numbers are 0. Between
   these two all of that is as C begins with, and the program's is untouched. */

#include <fenv.h>

struct float_mode {
    fenv_t programs;
};

void float_mode_begin(struct float_mode *m);
void float_mode_end(const struct float_mode *m);
