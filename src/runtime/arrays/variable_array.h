/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Variables as arrays. A variable that kernels write becomes an array. Its kernels receive
   the address as an additional parameter (instrument/variable_parameters.c). With one
   device, or an annotated kernel in the module, variables stay in the module. */

#include <proact/status.h>
#include <stddef.h>

struct proact;
struct proact_kernel;
struct proact_relocation;
struct ptx_function;
struct ptx_symbol;
struct session_image;

struct variable_array {
    char *name;
    struct proact_array *array;
    unsigned char *initial; /* initial contents; NULL: zero */
};

/* Converts the possible variables of the image. `*text` becomes the PTX to parse from now
   on, which the caller frees. NULL: none was converted, for example without memory. */
enum proact_status variables_become_arrays(struct proact *p, struct session_image *i,
                                           char **text, size_t *bytes,
                                           struct proact_error *err);
/* Converts one more variable. */
enum proact_status variable_array_add(struct proact *p, struct session_image *i,
                                      const struct ptx_symbol *s, struct proact_error *err);
void variable_arrays_destroy(struct session_image *i); /* the arrays stay in the session */

/* NULL: not converted. */
const struct variable_array *variable_array_find(const struct session_image *i,
                                                 const char *name);
/* Restores the initial contents. */
enum proact_status variable_array_reset(const struct variable_array *v,
                                        struct proact_error *err);

/* The variable whose address that parameter holds, or NULL. */
const struct variable_array *variable_array_given(const struct session_image *i,
                                                  const struct ptx_symbol *parameter);
/* Number of trailing parameters of the function that are variables. */
unsigned variable_parameters(const struct session_image *i, const struct ptx_function *f);
/* Adds the relocations of the kernel's variables. */
void variable_relocations(const struct proact_kernel *k,
                          struct proact_relocation *relocations, size_t *count);
