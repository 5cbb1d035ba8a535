/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "ptx/ptx.h"

/* Prints the module after the pass. `f` is the kernel that the pass works on, or NULL if
   the module has several and none is named. Returns an exit status. */
int analyze_stop_after(const char *pass, bool reassociate_floats,
                       const struct ptx_module *m, const struct ptx_function *f);
