/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Variables that kernels write are arrays: their kernels have the addresses as parameters,
   behind those that they are given (instrument/variable_parameters.c). On one device, and
   where a kernel of the module is marked, they stay the module's own. */

#include "runtime/session/session.h"

struct variable_array {
    char *name;
    struct proact_array *array;
    unsigned char *initial; /* all bytes; NULL: zero */
};

/* Those of the image's variables that can be; then *text is what it has to be read from
   now, free() it. NULL: none, also where there is no memory for them. */
enum proact_status variables_become_arrays(struct proact *p, struct session_image *i,
                                           char **text, size_t *bytes,
                                           struct proact_error *err);
/* One more. */
enum proact_status variable_array_add(struct proact *p, struct session_image *i,
                                      const struct ptx_symbol *s, struct proact_error *err);
void variable_arrays_destroy(
    struct session_image *i); /* what they are stays the session's */

/* NULL: it is none. */
const struct variable_array *variable_array_find(const struct session_image *i,
                                                 const char *name);
/* As it was when the image was loaded. */
enum proact_status variable_array_reset(const struct variable_array *v,
                                        struct proact_error *err);

/* How many of the function's last parameters are such. */
unsigned variable_parameters(const struct session_image *i, const struct ptx_function *f);
/* The kernel's, added to the places of a block. */
void variable_relocations(const struct proact_kernel *k,
                          struct proact_relocation *relocations, size_t *count);
