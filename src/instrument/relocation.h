/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Where a kernel reads its parameters by a place in a register that is always the same
   (`mov.b64 %rd1, P; ld.param.u64 %rd2, [%rd1+16]`), as compilers have it of long structs,
   it is made to name them: who looks for what hangs on a parameter then sees which. */

#include "instrument/edit.h"

void relocations_name(const struct ptx_function *kernel, struct edit_list *edits);
