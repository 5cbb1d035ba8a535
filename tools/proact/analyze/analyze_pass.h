/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "ptx/ptx.h"

/* Prints the module as it is after the pass; `f` is the kernel that it is for, or NULL if
   none is named among several. Returns an exit status. */
int analyze_stop_after(const char *pass, bool reassociate_floats,
                       const struct ptx_module *m, const struct ptx_function *f);
