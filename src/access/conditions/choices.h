/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Path conditions of choices: guards that were true when a value was selected. A guard that
   varies between iterations is included only if the value is used in its own iteration
   alone. */

#include "access/values/study.h"

/* Path condition of one choice of a symbol, in the arena. */
struct access_way choices_way(struct study *s, uint32_t symbol, uint32_t choice);

/* Conditions that hold for the whole life of a thread that reaches the block. */
struct access_way choices_above(struct study *s, uint32_t block);

/* Computes the path conditions of all choices that exist. */
void choices_find_ways(struct study *s);
