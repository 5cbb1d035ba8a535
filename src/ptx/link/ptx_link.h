/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Linker of separately compiled modules (nvcc -dc). It links PTX as nvlink links machine
   code. */

#include "ptx/ptx.h"

/* Returns the text of one module that contains the definitions of all modules; release *out
   with free(). A declaration refers to the definition in another module, the first of
   several weak definitions is used, file-local names are made unique, and line information
   is dropped. Fails if a name has two definitions, or is used but not defined; the message
   has the name and its modules. */
enum proact_status ptx_link(const struct ptx_module *const modules[], size_t count,
                            char **out, size_t *bytes, struct proact_error *err);
