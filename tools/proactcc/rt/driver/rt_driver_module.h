/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Modules that the program loads through the driver interface. Their kernels and variables
   are stored in the runtime's lists, like those that nvcc's stubs register. */

#include "rt/driver/rt_driver.h"

struct driver_variable {
    char *name;
    bool is_managed;
    void *managed; /* its address if is_managed */
};

/* A CUmodule and a CUlibrary. It lives as long as the program, because its kernels may
   still be in use. */
struct cuda_module {
    struct cuda_module *next;
    struct rt_image image;
    struct cuda_kernel **kernels;
    unsigned kernel_count;
    struct driver_variable *variables;
    unsigned variable_count;
};

/* Options for the driver's compiler. */
struct driver_options {
    unsigned count;
    const int *kinds;
    void **values;
};
/* The check of the options, and the log of an error. The log goes to the program's buffer,
   or to stderr if the program has none. sentence NULL: no error. */
enum cuda_error driver_options_check(const struct driver_options *options);
void driver_options_write_logs(const struct driver_options *options, const char *sentence);

/* A copy of the PTX in an image. With `bytes` 0 the image is PTX up to its NUL, or a format
   that contains its length. PROACT_EINVAL for a malformed image, PROACT_EREFUSED if it
   contains no PTX. */
enum proact_status driver_image_take(const void *data, size_t bytes, unsigned capability,
                                     struct rt_image *out, struct proact_error *err);
/* Frees the text, which the image owns. */
void driver_image_drop(struct rt_image *image);
/* The bytes of a file, followed by a NUL; NULL if it cannot be read. The caller frees
   them. */
char *driver_file_read(const char *path, size_t *bytes);

enum cuda_error driver_module_load(struct rt *rt, const void *data, size_t bytes,
                                   const struct driver_options *options,
                                   struct cuda_module **out);
enum cuda_error driver_module_load_file(struct rt *rt, const char *path,
                                        const struct driver_options *options,
                                        struct cuda_module **out);
enum cuda_error driver_module_unload(struct rt *rt, struct cuda_module *m);

/* cudaErrorSymbolNotFound if no kernel or variable has that name. */
enum cuda_error driver_module_kernel(struct rt *rt, struct cuda_module *m, const char *name,
                                     struct cuda_kernel **out);
enum cuda_error driver_module_variable(struct rt *rt, struct cuda_module *m,
                                       const char *name, void **out, size_t *bytes);
/* The first `count` kernels. */
enum cuda_error driver_module_kernels(struct rt *rt, struct cuda_module *m, unsigned count,
                                      struct cuda_kernel **out);
/* NULL: the kernel belongs to no module. */
struct cuda_module *driver_module_of(struct rt *rt, const struct cuda_kernel *k);
