/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Which parameters an address may come from: by arithmetic, by what is read through them,
   and by way of shared variables. */

#include "access/values/study.h"

/* The first byte of the parameter block from which the operand is made; 0 if anything else
   goes into it but numbers, such as a variable's address or what a call gave; UINT32_MAX if
   numbers alone do. What is read from shared memory in fewer than 8 bytes is a number. */
uint32_t trace_origin(struct study *s, uint32_t instruction, const struct ptx_operand *o);
