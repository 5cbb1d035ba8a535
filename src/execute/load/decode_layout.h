/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What lies where in shared memory, thread memory and the module's block. */

#include "execute/load/decoder.h"

/* Gives the module's shared variables that function `index` and what it calls use their
   places; dynamic shared memory follows them all. */
void shared_place(struct decoder *d, uint32_t index);
