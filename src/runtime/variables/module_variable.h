/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Variables of modules. Those that a program sees are the image's, on the first device; the
   modules of clones have their own, which follow before a split launch. */

#include "runtime/session/session.h"

/* Whether kernels may write to some of the module's variables. */
bool module_has_variables(const struct ptx_module *m);

/* A variable that the host writes without a word, and that `f`, or a function that it may
   call, uses; and the line. NULL: there is none. */
const struct ptx_symbol *module_managed_variable(const struct ptx_module *m,
                                                 const struct ptx_function *f,
                                                 uint32_t *line);

/* A variable that kernels may write, and that `f`, or a function that it may call, uses. */
const struct ptx_symbol *module_written_variable(const struct ptx_module *m,
                                                 const struct ptx_function *f);

/* Neither texts of printf nor tables of CUDA's own, which hold what the text says. */
bool module_variable_may_change(const struct ptx_symbol *s);

/* What the first device's module holds of a variable, all of it, and where. Nothing that
   may write to it is under way. */
enum proact_status module_variable_read(const struct proact_kernel *k,
                                        const struct ptx_symbol *s, void *into,
                                        device_addr *address, struct proact_error *err);

/* To the modules `to`, by device, from the kernel's image on the first one, if any may have
   changed since the session's count `*since`: those that the kernel uses. Waits for all
   that was queued then. */
enum proact_status module_variables_fetch(const struct proact_kernel *k,
                                          struct device_module *const *to, uint64_t *since,
                                          struct proact_error *err);
/* Whether that has to wait for the devices. */
bool module_variables_wait(const struct proact_kernel *k, uint64_t since);
