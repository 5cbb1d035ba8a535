/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Initialization of the register files that are constant during a run. */

#include "execute/run/run.h"

/* Writes 32 lanes of `value` at `offset`. */
void fill_word(unsigned char *file, uint32_t offset, uint32_t value);

/* Runs the operations that were hoisted to `file`. */
void hoisted_run(const struct execute_kernel *k, enum op_file file,
                 const struct op_registers *registers);
