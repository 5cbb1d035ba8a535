/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Layout of shared memory, thread memory and the module's block. */

#include "execute/load/decoder.h"

/* Assigns offsets to the shared variables of the module that function `index` and its
   callees use. Dynamic shared memory follows all of them. */
void shared_place(struct decoder *d, uint32_t index);
