/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Additional parameters of a kernel. */

#include "instrument/edit.h"

/* Appends `declared`, a comma-separated list of declarations, to the kernel's
   parameters. */
void parameter_append(struct edit_list *edits, const struct ptx_module *m,
                      const struct ptx_function *f, const char *declared);

/* The function's name in its header. An empty span at the start of the header if it has no
   name. */
struct ptx_span parameter_name_of(const struct ptx_module *m, const struct ptx_function *f);

/* Largest number of parameter bytes of a kernel (PTX ISA 8.1, section 5.1.6). */
uint32_t parameters_max(const struct ptx_module *m);
