/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Links modules that were compiled apart (nvcc -dc) into one, as nvlink does with code. */

#include "ptx/ptx.h"

/* The text of one module that has all they define: what one announces and another defines
   is one thing, of weak twins the first is kept, names of a file's own are told apart, and
   what says where lines came from is gone. Two definitions of a name, and a name that is
   used and defined nowhere, are refused with the name and the modules'. free(*out). */
enum proact_status ptx_link(const struct ptx_module *const modules[], size_t count,
                            char **out, size_t *bytes, struct proact_error *err);
