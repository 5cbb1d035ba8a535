/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What an instruction makes of integers. */

#include "access/values/study.h"

/* The form of its destination number `element`; NULL where it has none. */
const struct access_form *arithmetic_form(struct study *s, uint32_t instruction,
                                          uint32_t element);
