/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Visits of the registers that an instruction defines, and of those that it reads. */

#include "ptx/ptx.h"

typedef void definition_visit(void *context, int32_t reg);

void definition_each(const struct ptx_instruction *i, definition_visit *visit,
                     void *context);
/* Guards and address registers count as reads. */
void definition_each_use(const struct ptx_instruction *i, definition_visit *visit,
                         void *context);
/* True if an instruction may read the result that this operand receives. Also true for an
   operand that is neither a register nor a sink. */
bool definition_is_read(const struct ptx_function *f, const struct ptx_operand *result);
