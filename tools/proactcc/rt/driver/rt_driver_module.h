/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Modules that the program loads by hand. Their kernels and variables are the runtime's, as
   those are that nvcc's stubs tell of. */

#include "rt/driver/rt_driver.h"

struct driver_variable {
    char *name;
    bool is_managed;
    void *managed; /* where it is, then */
};

/* A CUmodule, and a CUlibrary; it lives as long as the program, as what it has may still be
   in use. */
struct cuda_module {
    struct cuda_module *next;
    struct rt_image image;
    struct cuda_kernel **kernels;
    unsigned kernel_count;
    struct driver_variable *variables;
    unsigned variable_count;
};

/* What is asked of the driver's compiler. */
struct driver_options {
    unsigned count;
    const int *kinds;
    void **values;
};
/* Whether they can be had; and what went wrong, in the program's buffer or else on stderr.
   NULL: nothing. */
enum cuda_error driver_options_check(const struct driver_options *options);
void driver_options_write_logs(const struct driver_options *options, const char *sentence);

/* The PTX of what a program hands over (`bytes` 0: PTX up to its NUL, or what says itself
   how long it is), a copy. Fails with PROACT_EINVAL; with PROACT_EREFUSED where there is
   none. */
enum proact_status driver_image_take(const void *data, size_t bytes, unsigned capability,
                                     struct rt_image *out, struct proact_error *err);
/* The text, which is its own. */
void driver_image_drop(struct rt_image *image);
/* A file, and a NUL behind it; NULL: it cannot be read. free() it. */
char *driver_file_read(const char *path, size_t *bytes);

enum cuda_error driver_module_load(struct rt *rt, const void *data, size_t bytes,
                                   const struct driver_options *options,
                                   struct cuda_module **out);
enum cuda_error driver_module_load_file(struct rt *rt, const char *path,
                                        const struct driver_options *options,
                                        struct cuda_module **out);
enum cuda_error driver_module_unload(struct rt *rt, struct cuda_module *m);

/* cudaErrorSymbolNotFound where there is none of that name. */
enum cuda_error driver_module_kernel(struct rt *rt, struct cuda_module *m, const char *name,
                                     struct cuda_kernel **out);
enum cuda_error driver_module_variable(struct rt *rt, struct cuda_module *m,
                                       const char *name, void **out, size_t *bytes);
/* The first so many. */
enum cuda_error driver_module_kernels(struct rt *rt, struct cuda_module *m, unsigned count,
                                      struct cuda_kernel **out);
/* NULL: the kernel is of none. */
struct cuda_module *driver_module_of(struct rt *rt, const struct cuda_kernel *k);
