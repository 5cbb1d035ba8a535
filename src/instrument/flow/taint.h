/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Marks that spread from what an instruction reads to what it sets, through registers. */

#include "ptx/ptx.h"

/* The marks of an instruction's results; `used` is those of all that it reads. */
typedef uint8_t taint_of(void *context, const struct ptx_instruction *i, uint8_t used);

/* Adds to by_register[] until nothing is added any more. */
void taint_spread(const struct ptx_function *f, uint8_t *by_register, taint_of *of,
                  void *context);
