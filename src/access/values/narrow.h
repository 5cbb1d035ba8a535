/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Compilers divide numbers of 64 bits by 32, where neither needs more: a branch asks, and
   both ways meet. */

#include "access/values/study.h"

/* Of a phi that is such a quotient or remainder: by which predecessor the one of 64 bits
   comes, which the other one equals; -1 for no such phi. */
int32_t narrow_is(const struct study *s, uint32_t phi);
