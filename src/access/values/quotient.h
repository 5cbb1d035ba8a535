/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Divisions by constants that are not powers of two. Compilers write them as the upper half
   of a product. */

#include "access/values/study.h"

/* x / c if the instruction is the last one of such a division; else NULL. */
const struct access_form *quotient_form(struct study *s, uint32_t instruction);
