/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Read-modify-write of one word. execute_op.detail[0] is the operation, [1] the type (enum
   ptx_part), [2] its bytes. */

#include "execute/op.h"

enum atomic_operation {
    ATOMIC_ADD,
    ATOMIC_MIN,
    ATOMIC_MAX,
    ATOMIC_AND,
    ATOMIC_OR,
    ATOMIC_XOR,
    ATOMIC_EXCH,
    ATOMIC_CAS,
    ATOMIC_INC,
    ATOMIC_DEC
};

/* Finds the operation of this atom or red. Returns false if it is not supported. */
bool atomic_find(const struct ptx_instruction *i, unsigned *operation);

/* New word from the old one; both in the low bytes. */
uint64_t atomic_apply(const struct execute_op *op, uint64_t old, uint64_t operand,
                      uint64_t second);

/* The same for .b128, which has exch and cas only. */
__extension__ typedef unsigned __int128 atomic_quad;
atomic_quad atomic_apply_128(const struct execute_op *op, atomic_quad old, atomic_quad a,
                             atomic_quad b);
