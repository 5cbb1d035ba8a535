/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Which registers an instruction sets, and which it reads. */

#include "ptx/ptx.h"

typedef void definition_visit(void *context, int32_t reg);

void definition_each(const struct ptx_instruction *i, definition_visit *visit,
                     void *context);
/* Guards and the registers inside addresses are read, too. */
void definition_each_use(const struct ptx_instruction *i, definition_visit *visit,
                         void *context);
/* Whether some instruction reads what one gives in that operand; also where it is neither
   a register nor a sink. */
bool definition_is_read(const struct ptx_function *f, const struct ptx_operand *result);
