/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Accesses without a form for each thread: matrices that a warp loads or stores together
   (wmma), and asynchronous copies. */

#include "access/values/study.h"

/* Whether a copy accesses global memory, and how. */
bool hull_copy_kind(const struct ptx_instruction *i, enum access_kind *kind);

/* Global source of an asynchronous copy, else NULL. */
const struct ptx_operand *hull_operand(const struct ptx_instruction *i);

/* Size of the accessed range; `from` is not set. False if unknown. */
bool hull_find(struct study *s, uint32_t instruction, struct access_hull *out);

const char *hull_reason(const struct ptx_instruction *i);
