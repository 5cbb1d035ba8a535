/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Forms of integer instructions. */

#include "access/values/study.h"

/* Form of destination `element` of the instruction; NULL if it has none. */
const struct access_form *arithmetic_form(struct study *s, uint32_t instruction,
                                          uint32_t element);
