/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Variables of modules. A program accesses the image's variables on device 0. Modules of
   kernel versions have copies, which are updated before a split launch. */

#include "device/device.h"

struct ptx_function;
struct ptx_module;

/* Whether kernels may write to variables of the module. */
bool module_has_variables(const struct ptx_module *m);

/* A managed variable, which the host writes without a call, in `f` or its callees, and the
   line. NULL: none. */
const struct ptx_symbol *module_managed_variable(const struct ptx_module *m,
                                                 const struct ptx_function *f,
                                                 uint32_t *line);

/* A variable of more than UINT32_MAX bytes, which is not copied to every device. */
const struct ptx_symbol *module_large_variable(const struct ptx_module *m,
                                               const struct ptx_function *f,
                                               uint32_t *line);

/* A variable in `f` or its callees that kernels may write. */
const struct ptx_symbol *module_written_variable(const struct ptx_module *m,
                                                 const struct ptx_function *f);

/* False for printf formats and CUDA's tables, whose contents are fixed. */
bool module_variable_may_change(const struct ptx_symbol *s);

/* Reads a variable of the device-0 module, and its address. No writer may be in flight. */
enum proact_status module_variable_read(const struct proact_kernel *k,
                                        const struct ptx_symbol *s, void *into,
                                        device_addr *address, struct proact_error *err);

/* Copies the kernel's variables from the device-0 image to the modules `to`, by device, if
   any may have changed since `*since`. Waits for all queued work in that case. */
enum proact_status module_variables_fetch(const struct proact_kernel *k,
                                          struct device_module *const *to, uint64_t *since,
                                          struct proact_error *err);
/* Whether module_variables_fetch() would wait. */
bool module_variables_wait(const struct proact_kernel *k, uint64_t since);
