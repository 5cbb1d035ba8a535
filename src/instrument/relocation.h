/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Parameter loads through a constant address register, which compilers emit for long
   structs (`mov.b64 %rd1, P; ld.param.u64 %rd2, [%rd1+16]`). The edits replace the register
   by the parameter's name, so that an analysis sees which parameter each load reads. */

#include "instrument/edit.h"

void relocations_name(const struct ptx_function *kernel, struct edit_list *edits);
