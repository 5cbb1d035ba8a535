/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Parameters from which an address may derive: by arithmetic, by loads through them, and
   through shared variables. */

#include "access/values/study.h"

/* First byte of the parameter from which the operand is computed. 0 if another source
   exists, such as the address of a variable or the result of a call. UINT32_MAX if the
   sources are numbers only. A value of fewer than 8 bytes loaded from shared memory is a
   number. */
uint32_t trace_origin(struct study *s, uint32_t instruction, const struct ptx_operand *o);
