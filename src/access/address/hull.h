/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Accesses of which no single thread has a form: matrices that a warp loads or stores
   together (wmma), and asynchronous copies. */

#include "access/values/study.h"

/* Whether a copy touches global memory, and how. */
bool hull_copy_kind(const struct ptx_instruction *i, enum access_kind *kind);

/* What an asynchronous copy reads, else NULL. */
const struct ptx_operand *hull_operand(const struct ptx_instruction *i);

/* How much it touches; `from` stays. False if that is not known. */
bool hull_find(struct study *s, uint32_t instruction, struct access_hull *out);

const char *hull_reason(const struct ptx_instruction *i);
