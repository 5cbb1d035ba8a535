/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Divisions by numbers that are no powers of two, which compilers write as products of
   which the upper half is kept. */

#include "access/values/study.h"

/* x / c, where the instruction is the last one of such a division; else NULL. */
const struct access_form *quotient_form(struct study *s, uint32_t instruction);
