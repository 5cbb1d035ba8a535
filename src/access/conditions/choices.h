/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* By which way a value was chosen: what held then. Where that changes from iteration to
   iteration it is said only of what is of use in that iteration alone. */

#include "access/values/study.h"

/* Of one choice of a symbol; into the arena. */
struct access_way choices_way(struct study *s, uint32_t symbol, uint32_t choice);

/* What holds for a thread as long as it lives if it comes to the block. */
struct access_way choices_above(struct study *s, uint32_t block);

/* Of all that there are by now. */
void choices_find_ways(struct study *s);
