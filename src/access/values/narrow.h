/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* 64-bit divisions that compilers execute in 32 bits if both operands fit: a branch tests
   them, and a phi joins the two results. */

#include "access/values/study.h"

/* For the phi of such a quotient or remainder: the predecessor of the 64-bit result, which
   equals the 32-bit result; -1 for any other phi. */
int32_t narrow_is(const struct study *s, uint32_t phi);
