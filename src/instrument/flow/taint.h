/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Taint analysis: marks propagate from the registers that an instruction reads to those it
   defines. */

#include "ptx/ptx.h"

/* Returns the marks of an instruction's results. `used` is the union of the marks of all
   registers that it reads. */
typedef uint8_t taint_of(void *context, const struct ptx_instruction *i, uint8_t used);

/* Adds marks to by_register[] until a fixed point is reached. */
void taint_spread(const struct ptx_function *f, uint8_t *by_register, taint_of *of,
                  void *context);
