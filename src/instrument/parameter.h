/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* More parameters for a kernel. */

#include "instrument/edit.h"

/* Behind those that it has: `declared`, with commas between them. */
void parameter_append(struct edit_list *edits, const struct ptx_module *m,
                      const struct ptx_function *f, const char *declared);

/* The function's name at the head of it; empty, where that begins, if it has none. */
struct ptx_span parameter_name_of(const struct ptx_module *m, const struct ptx_function *f);

/* Bytes of parameters that a kernel may have (PTX ISA 8.1, section 5.1.6). */
uint32_t parameters_max(const struct ptx_module *m);
